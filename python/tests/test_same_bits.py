# SPDX-License-Identifier: BSD-3-Clause
"""A model that Python trains is, to the last bit, the one that the program experiment trains.

PRISM_EXPERIMENT names the program, as the project's own tests do.
"""

import os
import subprocess

import numpy as np
import pytest
from conftest import quiet_fit

import prismcf as pr

experiment = os.environ.get("PRISM_EXPERIMENT")
pytestmark = pytest.mark.skipif(not experiment, reason="PRISM_EXPERIMENT names no program")


@pytest.mark.parametrize(
    "flags, parameters",
    [
        (["--loss", "SSM"], {"loss": pr.SSM(), "ranking": None}),
        (
            ["--backbone", "LightGCN", "--loss", "BPR", "--regularizer", "FullWD", "--lambda", "1e-4"],
            {"backbone": pr.LightGCN(8), "loss": pr.BPR(), "regularizer": pr.FullWD(1e-4)},
        ),
        (
            ["--loss", "DirectAU", "--gamma", "2", "--initializer", "PRISM", "--alpha", "0.5"],
            {"loss": pr.DirectAU(gamma=2.0), "initializer": pr.PRISM(alpha=0.5)},
        ),
        (
            ["--loss", "PSL", "--negatives", "8", "--psl-surrogate", "relu", "--rank-power", "auto",
             "--sampler", "SharedPopularityNegatives", "--mask", "seen_items"],
            {"loss": pr.PSL(negatives=8, surrogate="relu"),
             "sampler": pr.SharedPopularityNegatives(mask="seen_items")},
        ),
    ],
    ids=["SSM", "LightGCN", "PRISM", "shared"],
)  # fmt: skip
def test_factors_are_those_of_experiment(tmp_path, flags, parameters):
    users, items = pr.synthetic(users=120, items=90, interactions_per_user=12).pairs()
    file = tmp_path / "pairs.csv"
    lines = [f"u{user},i{item}" for user, item in zip(users, items)]
    file.write_text("\n".join(["user_id,item_id", *lines]) + "\n")
    training = ["--dim", "8", "--epochs", "3", "--lr", "0.01", "--batch", "256", "--quiet"]
    initializer = [] if "--initializer" in flags else ["--initializer", "Xavier"]
    subprocess.run(
        [
            experiment,
            "--data",
            str(file),
            *flags,
            *initializer,
            *training,
            "--save",
            str(tmp_path / "m"),
        ],
        check=True,
        capture_output=True,
    )
    model = quiet_fit(
        pr.Recommender(
            **{"backbone": pr.MF(8), **parameters}, learning_rate=0.01, batch_size=256, epochs=3
        ),
        pr.random_split(pr.read(file)),
    )
    (folder,) = (tmp_path / "m").iterdir()
    for side, factors in (("users", model.user_factors), ("items", model.item_factors)):
        assert np.array_equal(np.load(folder / f"{side}.npy"), factors)
    assert np.array_equal(pr.load(folder).recommend(["u3"])[0], model.recommend(["u3"])[0])

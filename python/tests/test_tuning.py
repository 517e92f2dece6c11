# SPDX-License-Identifier: BSD-3-Clause
"""Parameters are chosen by the validation set."""

import math

import numpy as np
import pytest
from conftest import quiet_fit

import prismcf as pr


def base():
    return pr.Recommender(pr.MF(8), batch_size=256, epochs=6, min_steps=0)


def test_every_combination_is_trained_and_the_best_comes_first(split):
    seen = []
    grid = {"loss__tau": [0.1, 0.5], "learning_rate": [0.001, 0.03]}
    all_tried = pr.tune(base(), split, grid, on_tried=seen.append)
    assert len(all_tried) == len(seen) == 4
    assert [tried.parameters for tried in seen] == [
        {"loss__tau": tau, "learning_rate": rate} for tau in (0.1, 0.5) for rate in (0.001, 0.03)
    ]
    qualities = [tried.validation for tried in all_tried]
    assert qualities == sorted(qualities, reverse=True)
    best = all_tried[0]
    direct = quiet_fit(base().set_params(**best.parameters), split)
    assert direct.history_["best_validation"] == best.validation
    assert np.array_equal(direct.item_factors, best.recommender.item_factors)


def test_with_a_first_part_only_the_best_go_on(split):
    grid = {"learning_rate": [0.0001, 0.001, 0.01, 0.03, 0.1]}
    all_tried = pr.tune(base(), split, grid, first_epochs=2, keep=0.4)
    assert [tried.epochs for tried in all_tried] == [6, 6, 2, 2, 2]
    best = all_tried[0]
    direct = quiet_fit(base().set_params(**best.parameters), split)
    assert np.array_equal(direct.item_factors, best.recommender.item_factors)
    assert best.recommender.epochs == 6


def test_a_training_that_diverges_comes_last(split):
    recommender = pr.Recommender(pr.MF(8), pr.BPR(), optimizer=pr.SGD(), epochs=5)
    last = pr.tune(recommender, split, {"learning_rate": [1e30, 0.1]})[-1]
    assert last.parameters == {"learning_rate": 1e30} and math.isnan(last.validation)
    # After the first part.
    recommender = pr.Recommender(
        pr.MF(8), pr.BPR(), optimizer=pr.SGD(), epochs=400, batch_size=64, min_steps=10**6
    )
    tried = pr.tune(recommender, split, {"learning_rate": [30.0, 0.0001]}, first_epochs=2, keep=0.5)
    assert tried[0].parameters == {"learning_rate": 0.0001}
    assert tried[0].recommender.evaluate(split).ndcg >= 0


def test_a_schedule_goes_on_as_if_there_had_been_no_cut(split):
    recommender = base().set_params(epochs=12, schedule="cosine", learning_rate=0.1)
    best = pr.tune(recommender, split, {"loss__tau": [0.2]}, first_epochs=4)[0]
    direct = quiet_fit(recommender, split)
    assert best.epochs == 12
    assert np.array_equal(best.recommender.item_factors, direct.item_factors)


def test_all_are_checked_before_any_is_trained(split):
    seen = []
    with pytest.raises(ValueError, match="from 1e-6 to 1e6"):
        pr.tune(base(), split, {"loss__tau": [0.1, -1.0]}, on_tried=seen.append)
    assert not seen


def test_what_cannot_be_tuned_is_refused(split):
    with pytest.raises(ValueError, match="validation"):
        pr.tune(base(), pr.random_split(pr.synthetic(30, 20, 5), validation=0), {"seed": [1]})
    for grid in ({}, {"seed": []}, {"schedule": "cosine"}):
        with pytest.raises(ValueError, match="grid"):
            pr.tune(base(), split, grid)
    with pytest.raises(ValueError, match="no parameter 'rate'"):
        pr.tune(base(), split, {"rate": [1]})
    with pytest.raises(ValueError, match="keep"):
        pr.tune(base(), split, {"seed": [1]}, keep=0)

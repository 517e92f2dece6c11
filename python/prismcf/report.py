# SPDX-License-Identifier: BSD-3-Clause
"""A page about trained models, the one that the program experiment writes with --report."""

from __future__ import annotations

import contextlib
import json
import math
import os
from dataclasses import asdict
from typing import Any, Dict, List, Mapping, Union

import numpy as np
import numpy.typing as npt

from ._load import module as _native
from .recommender import Recommender
from .splits import Split


def write_report(
    path: Union[str, "os.PathLike[str]"],
    models: Union[Recommender, Mapping[str, Recommender]],
    split: Split,
    k: int = 20,
) -> None:
    """Writes an HTML page that needs no other file: metrics on the test set, validation and loss by
    epoch, popular and unpopular items, magnitudes against popularity, parameters.

        pr.write_report("run.html", {"SSM": ssm, "DirectAU": directau}, split)

    models: a fitted recommender, or several by the names that the page gives them. split: the one that
    they were fitted on. k: length of the lists on the test set. Raises ValueError if a model is not fitted, OSError if the file cannot be
    written.
    """
    named = {repr(models): models} if isinstance(models, Recommender) else dict(models)
    if not named:
        raise ValueError("models must name at least one fitted Recommender")
    for name, model in named.items():
        if not hasattr(model, "history_"):
            raise ValueError(f"models[{name!r}] must be fitted")
    record = {
        "prism": _native.version,
        "settings": {"instruction_set": _native.instruction_set},
        "data": {
            "users": split.train.n_users,
            "items": split.train.n_items,
            "train": len(split.train),
            "validation": len(split.validation),
            "test": len(split.test),
        },
        "runs": [_run(name, model, split, k) for name, model in named.items()],
    }
    with open(os.path.join(os.path.dirname(__file__), "report.html"), encoding="utf-8") as file:
        page = file.read()
    # A name that has "</script>" or "<!--" would be taken for HTML.
    text = json.dumps(_finite(record), allow_nan=False).replace("<", "\\u003c")
    # The file is either complete or unchanged.
    staged = os.fspath(path) + ".part"
    try:
        with open(staged, "w", encoding="utf-8") as file:
            file.write(page.replace("{{RECORD}}", text))
        os.replace(staged, path)
    except OSError:
        with contextlib.suppress(OSError):
            os.remove(staged)
        raise


def _finite(value: Any) -> Any:
    """The value with None for each number that is not finite, which JSON does not have."""
    if isinstance(value, dict):
        return {key: _finite(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_finite(each) for each in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _run(name: str, model: Recommender, split: Split, k: int) -> Dict[str, Any]:
    history = dict(model.history_)
    history["epochs"] = [
        {**epoch, "validation_ndcg": epoch.get("validation")} for epoch in history["epochs"]
    ]
    return {
        "model": name,
        "policies": [f"{key}={value!r}" for key, value in model.get_params(deep=False).items()],
        "history": history,
        "test_by_dot": asdict(model.evaluate(split, k=k)),
        "item_magnitudes": _magnitudes(model.item_factors, split.train.item_degree),
    }


def _magnitudes(rows: npt.NDArray[Any], popularity: npt.NDArray[Any]) -> List[Dict[str, float]]:
    """Means over the items whose popularity d has 2^k <= d + 1 < 2^(k+1), as experiment has them."""
    magnitudes = np.linalg.norm(rows, axis=1)
    bins = np.floor(np.log2(popularity.astype(np.float64) + 1)).astype(int)
    return [
        {
            "items": int((bins == k).sum()),
            "popularity": float(popularity[bins == k].mean()),
            "magnitude": float(magnitudes[bins == k].mean()),
        }
        for k in np.unique(bins)
    ]

# SPDX-License-Identifier: BSD-3-Clause
"""The choice of parameters on the validation set."""

from __future__ import annotations

import itertools
import math
import os
import tempfile
import warnings
from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence

from ._check import whole
from .recommender import Recommender
from .splits import Split


@dataclass(frozen=True)
class Tried:
    """One combination of parameters."""

    parameters: Dict[str, Any]
    validation: float
    """The best epoch's metric on the validation set."""
    best_epoch: int
    epochs: int
    """That were trained: with first_epochs, fewer for those that were dropped."""
    recommender: Recommender
    """Trained."""


def tune(
    recommender: Recommender,
    split: Split,
    grid: Mapping[str, Sequence[Any]],
    *,
    first_epochs: Optional[int] = None,
    keep: float = 1 / 3,
    on_tried: Optional[Callable[[Tried], None]] = None,
) -> List[Tried]:
    """Trains a recommender with each combination of values; returns all, the best first.

        best = pr.tune(pr.Recommender(pr.MF(64), pr.SSM()), split,
                       {"loss__tau": [0.1, 0.2, 0.3], "learning_rate": [0.001, 0.01]})[0]
        best.recommender.evaluate(split)

    grid: values by the name of a parameter, as for set_params(). first_epochs: trains all for so many
    epochs, and goes on only with the best part, `keep`, at least one (successive halving with one cut);
    a slow learning rate needs a first part long enough to be seen. on_tried is called after each
    training. A combination whose training diverges has the validation nan and comes last. A tie goes to
    the combination that comes first in the grid.
    """
    if not isinstance(split, Split) or len(split.validation) == 0:
        raise ValueError("split must have a validation set to choose by")
    if not grid or any(len(values) == 0 for values in grid.values()):
        raise ValueError("grid must have at least one value for each of its parameters")
    if not 0 < keep <= 1:
        raise ValueError(f"keep must be above 0 and at most 1, not {keep!r}")
    combinations = [dict(zip(grid, values)) for values in itertools.product(*grid.values())]
    with tempfile.TemporaryDirectory() as folder:

        def train(number: int, epochs: Optional[int]) -> Tried:
            candidate = Recommender(**recommender.get_params(deep=False))
            candidate.set_params(**combinations[number])
            limit = candidate.epochs
            if epochs is not None:
                candidate.epochs = min(epochs, limit or epochs)
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")  # a short first part cannot have learnt
                    candidate.fit(split, checkpoint=os.path.join(folder, str(number)))
            except ArithmeticError:
                return Tried(combinations[number], math.nan, 0, 0, candidate)
            finally:
                candidate.epochs = limit
            history = candidate.history_
            return Tried(
                combinations[number],
                history["best_validation"],
                history["best_epoch"],
                len(history["epochs"]),
                candidate,
            )

        def report(tried: Tried) -> Tried:
            if on_tried is not None:
                on_tried(tried)
            return tried

        first = None if first_epochs is None else whole("first_epochs", first_epochs, 1)
        tried = {number: report(train(number, first)) for number in range(len(combinations))}
        ranked = _ranked(tried)
        if first is None:
            return [tried[number] for number in ranked]
        count = math.ceil(keep * len(combinations))
        kept, dropped = ranked[:count], ranked[count:]
        finished = {number: report(train(number, None)) for number in kept}
        return [finished[n] for n in _ranked(finished)] + [tried[n] for n in dropped]


def _ranked(tried: Mapping[int, Tried]) -> List[int]:
    """The best first."""

    def quality(number: int) -> float:
        value = tried[number].validation
        return -math.inf if math.isnan(value) else value

    return sorted(tried, key=quality, reverse=True)

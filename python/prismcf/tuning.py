# SPDX-License-Identifier: BSD-3-Clause
"""The choice of parameters on the validation set."""

from __future__ import annotations

import copy
import itertools
import math
import os
import warnings
from dataclasses import dataclass
from typing import Any, Callable, Dict, Iterable, List, Mapping, Optional, Sequence

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
    """Trained, unless the training diverged."""


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
    training: what it keeps is not lost if a later one is interrupted. A combination whose training
    diverges has the validation nan, an untrained recommender, and comes last. A tie goes to the
    combination that comes first in the grid.
    """
    import tempfile

    if not isinstance(split, Split) or len(split.validation) == 0:
        raise ValueError("split must have a validation set to choose by")
    for name, values in grid.items():
        if isinstance(values, str) or not hasattr(values, "__iter__") or len(values) == 0:
            raise ValueError(f"grid must have a sequence of values for {name}, not {values!r}")
    if not grid:
        raise ValueError("grid must have at least one parameter")
    if not 0 < keep <= 1:
        raise ValueError(f"keep must be above 0 and at most 1, not {keep!r}")
    first = None if first_epochs is None else whole("first_epochs", first_epochs, 1)
    combinations = [dict(zip(grid, values)) for values in itertools.product(*grid.values())]
    candidates = []
    for parameters in combinations:
        candidate = Recommender(**recommender.get_params(deep=False)).set_params(**parameters)
        candidate.check(split)  # before any is trained
        candidates.append(candidate)

    with tempfile.TemporaryDirectory() as folder:
        checkpoints = [os.path.join(folder, str(n)) for n in range(len(candidates))]

        def train(number: int, epochs: Optional[int]) -> Tried:
            candidate = candidates[number]

            def first_part(record: Mapping[str, Any]) -> bool:
                return epochs is not None and record["epoch"] >= epochs

            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")  # a short first part cannot have learnt
                    candidate.fit(
                        split,
                        on_epoch=first_part,
                        checkpoint=None if first is None else checkpoints[number],
                    )
                history = candidate.history_
                tried = Tried(
                    combinations[number],
                    history["best_validation"],
                    history["best_epoch"],
                    len(history["epochs"]),
                    copy.copy(candidate) if epochs is not None else candidate,
                )
            except ArithmeticError:
                tried = Tried(combinations[number], math.nan, 0, 0, candidate)
            if on_tried is not None:
                on_tried(tried)
            return tried

        tried = [train(number, first) for number in range(len(candidates))]
        order = _ranked(tried, range(len(tried)))
        if first is None:
            return [tried[number] for number in order]
        count = max(1, math.ceil(keep * len(order) - 1e-9))
        whole_runs: List[int] = []
        # More are trained to the end only if all of the best diverge.
        while order and (
            not whole_runs or all(math.isnan(tried[n].validation) for n in whole_runs)
        ):
            kept, order = sorted(order[:count]), order[count:]
            for number in kept:
                if not math.isnan(tried[number].validation):
                    tried[number] = train(number, None)
            whole_runs += kept
        good = [n for n in whole_runs if not math.isnan(tried[n].validation)]
        rest = [n for n in range(len(tried)) if n not in good]
        return [tried[number] for number in _ranked(tried, good) + _ranked(tried, rest)]


def _ranked(tried: Sequence[Tried], numbers: Iterable[int]) -> List[int]:
    """The best first; those that have diverged last."""

    def quality(number: int) -> float:
        value = tried[number].validation
        return -math.inf if math.isnan(value) else value

    return sorted(sorted(numbers), key=quality, reverse=True)

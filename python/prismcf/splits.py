# SPDX-License-Identifier: BSD-3-Clause
"""Training, validation and test sets."""

from __future__ import annotations

from typing import Any, NamedTuple

from ._load import module as _native
from .data import Interactions, require_interactions


class Split(NamedTuple):
    """Three parts of one data set, with the same users and items.

    Data that is read in parts is brought together by given_split().
    """

    train: Interactions
    validation: Interactions
    test: Interactions

    def merged(self) -> "Split":
        """Training and validation set together. Recommender.retrain() trains on them."""
        return _split(self.train, _native.merge_validation(to_native(self)))


def to_native(split: Split) -> Any:
    for name in ("validation", "test"):
        require_same_ids(split.train, getattr(split, name), name)
    return _native.Split(split.train._native, split.validation._native, split.test._native)


def require_same_ids(train: Interactions, part: Any, name: str) -> None:
    """Rows are compared by their numbers, so both must have the same ids in the same order."""
    require_interactions(part, name)
    if not _native.same_ids(train._native, part._native):
        raise ValueError(
            f"{name} must have the users and items of the training set, in the same order: "
            "given_split(train, test) brings data together that was read in parts"
        )


def _split(like: Interactions, native: Any) -> Split:
    return Split(like._like(native.train), like._like(native.validation), like._like(native.test))


def random_split(
    data: Interactions, *, validation: float = 0.1, test: float = 0.1, seed: int = 123
) -> Split:
    """Draws validation and test set at random from all interactions."""
    require_interactions(data, "data")
    return _split(data, _native.random_split(data._native, validation, test, seed))


def temporal_user_split(data: Interactions, *, validation: float = 0.1, test: float = 0.1) -> Split:
    """Each user's last interactions, by time."""
    require_interactions(data, "data")
    return _split(data, _native.temporal_user_split(data._native, validation, test))


def temporal_global_split(
    data: Interactions, *, validation: float = 0.1, test: float = 0.1
) -> Split:
    """The last interactions of all, by time."""
    require_interactions(data, "data")
    return _split(data, _native.temporal_global_split(data._native, validation, test))


def leave_last_out(data: Interactions) -> Split:
    """Each user's last interaction for the test, the one before it for validation."""
    require_interactions(data, "data")
    return _split(data, _native.leave_last_out(data._native))


def given_split(
    train: Interactions,
    test: Interactions,
    *,
    validation: float = 0.1,
    seed: int = 123,
    drop_repeated: bool = False,
) -> Split:
    """A test set that is given; the validation set is drawn from the training set.

    Both may have been read apart: users and items are then those of both. Interactions that are in
    both are an error unless drop_repeated, which leaves them out of the test set.
    """
    require_interactions(train, "train")
    require_interactions(test, "test")
    parts = train._native, test._native
    integers = train._integers
    if not _native.same_ids(*parts):
        parts = _native.with_ids_of_both(*parts)
        integers = (
            train._integers[0] and test._integers[0],
            train._integers[1] and test._integers[1],
        )
    native = _native.given_split(*parts, validation, seed, drop_repeated)
    return _split(Interactions(parts[0], integers), native)

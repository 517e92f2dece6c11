# SPDX-License-Identifier: BSD-3-Clause
"""Interactions of users with items, and their splits."""

from __future__ import annotations

import os
from typing import Any, List, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np
import numpy.typing as npt

from ._load import module as _native

Column = Union[int, str]
IdArray = npt.NDArray[Any]
Rows = npt.NDArray[np.uint32]
IdSequence = Union[Sequence[Any], npt.NDArray[Any]]


class Ids:
    """The ids of users or items: row r of a table belongs to the id ids[r].

    Integers stay integers; everything else is text.
    """

    def __init__(self, texts: List[str], integers: bool) -> None:
        self._texts = texts
        self.integers = integers
        self._array: Optional[IdArray] = None

    def __len__(self) -> int:
        return len(self._texts)

    @property
    def array(self) -> IdArray:
        """All ids, in the order of the rows: int64, or objects."""
        if self._array is None:
            if not self.integers:
                self._array = np.array(self._texts, dtype=object)
            else:
                try:
                    self._array = np.array(self._texts, dtype=np.int64)
                except OverflowError:  # unsigned
                    self._array = np.array([int(text) for text in self._texts], dtype=object)
        return self._array

    def of(self, rows: Rows) -> IdArray:
        """The ids of rows; of `absent` rows None, or -1 among int64."""
        known = rows != _native.absent
        nothing = None if self.array.dtype == object else -1
        ids: IdArray = np.full(rows.shape, nothing, dtype=self.array.dtype)
        ids[known] = self.array[rows[known]]
        return ids


def _texts(ids: Any) -> List[str]:
    return [str(one) for one in (ids.tolist() if isinstance(ids, np.ndarray) else ids)]


class Interactions:
    """Which user interacted with which item, each pair once.

    Made by read(), from_arrow(), from_csr() and from_pairs().
    """

    def __init__(self, native: Any, integers: Tuple[bool, bool] = (False, False)) -> None:
        self._native = native
        self._integers = integers
        self._user_ids: Optional[Ids] = None
        self._item_ids: Optional[Ids] = None

    def __len__(self) -> int:
        return len(self._native)

    def __repr__(self) -> str:
        return f"Interactions({self.n_users} users, {self.n_items} items, {len(self)} pairs)"

    @property
    def n_users(self) -> int:
        return int(self._native.users)

    @property
    def n_items(self) -> int:
        return int(self._native.items)

    @property
    def user_ids(self) -> Ids:
        if self._user_ids is None:
            self._user_ids = Ids(self._native.user_ids(), self._integers[0])
        return self._user_ids

    @property
    def item_ids(self) -> Ids:
        if self._item_ids is None:
            self._item_ids = Ids(self._native.item_ids(), self._integers[1])
        return self._item_ids

    @property
    def user_degree(self) -> Rows:
        """The number of interactions of each user."""
        return np.asarray(self._native.user_degree())

    @property
    def item_degree(self) -> Rows:
        """The number of interactions of each item: its popularity."""
        return np.asarray(self._native.item_degree())

    @property
    def summary(self) -> str:
        """How a file was read; empty for data that was not."""
        return str(self._native.summary())

    def pairs(self) -> Tuple[Rows, Rows]:
        """The rows of users and items, ordered by (user, item)."""
        users, items = self._native.pairs()
        return np.asarray(users), np.asarray(items)

    def to_csr(self) -> Any:
        """A scipy.sparse.csr_matrix of ones, users x items."""
        from scipy.sparse import csr_matrix  # type: ignore[import-untyped,unused-ignore]

        users, items = self.pairs()
        ones = np.ones(len(self), dtype=np.float32)
        return csr_matrix((ones, (users, items)), shape=(self.n_users, self.n_items))

    def rows_of_users(self, ids: IdSequence) -> Rows:
        """The rows of users. Raises KeyError for an id that the data does not have."""
        return self._rows("user", self._native.user_rows(_texts(ids)), ids)

    def rows_of_items(self, ids: IdSequence) -> Rows:
        """The rows of items. Raises KeyError for an id that the data does not have."""
        return self._rows("item", self._native.item_rows(_texts(ids)), ids)

    @staticmethod
    def _rows(kind: str, found: Any, ids: IdSequence) -> Rows:
        rows = np.asarray(found)
        unknown = np.flatnonzero(rows == _native.absent)
        if unknown.size:
            shown = ", ".join(repr(ids[int(k)]) for k in unknown[:3])
            more = f" and {unknown.size - 3} more" if unknown.size > 3 else ""
            raise KeyError(f"the data has no {kind} {shown}{more}")
        return rows

    def _like(self, native: Any) -> "Interactions":
        return Interactions(native, self._integers)


class Split(NamedTuple):
    """Three parts of one data set, with the same users and items."""

    train: Interactions
    validation: Interactions
    test: Interactions

    def merged(self) -> "Split":
        """Training and validation set together, to train on once options have been chosen."""
        return _split(self.train, _native.merge_validation(_to_native(self)))


def _to_native(split: Split) -> Any:
    return _native.Split(split.train._native, split.validation._native, split.test._native)


def _split(like: Interactions, native: Any) -> Split:
    return Split(like._like(native.train), like._like(native.validation), like._like(native.test))


def read(
    path: Union[str, "os.PathLike[str]"],
    *,
    user: Optional[Column] = None,
    item: Optional[Column] = None,
    rating: Optional[Column] = None,
    time: Optional[Column] = None,
    min_rating: Optional[float] = None,
    format: str = "automatic",
    delimiter: str = "",
    header: Optional[bool] = None,
    drop_invalid: bool = False,
) -> Interactions:
    """Reads interactions from a text file, plain or gzip.

    MovieLens, CSV, TSV, RecBole's .inter, LightGCN's adjacency lists and MatrixMarket are found out
    by themselves; columns by their names in a header, or by position. Raises OSError, with file and
    line, for a file that is not what it seems. `.summary` says how it was read.
    """
    native = _native.read(
        os.fspath(path), format, delimiter, user, item, rating, time, min_rating, header, drop_invalid
    )
    doubt = native.doubt()
    if doubt:
        import warnings

        warnings.warn(f"{os.fspath(path)}: {doubt}", stacklevel=2)
    return Interactions(native)


def from_pairs(
    users: IdSequence, items: IdSequence, *, times: Optional[Sequence[float]] = None
) -> Interactions:
    """Interactions from two sequences of ids of the same length, integers or text."""
    columns = [np.asarray(column) for column in (users, items)]
    integers = tuple(column.dtype.kind in "iu" for column in columns)
    ids = [
        np.ascontiguousarray(column, dtype=np.int64) if whole else _texts(column)
        for column, whole in zip(columns, integers)
    ]
    seconds = None if times is None else np.ascontiguousarray(times, dtype=np.float64)
    return Interactions(_native.from_ids(ids[0], ids[1], seconds), (integers[0], integers[1]))


def from_csr(matrix: Any) -> Interactions:
    """Interactions from a scipy.sparse matrix, users x items: its entries that are not 0.

    Ids are the numbers of rows and columns.
    """
    coordinates = matrix.tocoo()
    kept = coordinates.data != 0
    rows, columns = (
        np.ascontiguousarray(index[kept], dtype=np.uint32)
        for index in (coordinates.row, coordinates.col)
    )
    native = _native.from_rows(rows, columns, matrix.shape[0], matrix.shape[1], None)
    return Interactions(native, (True, True))


def from_arrow(
    table: Any,
    *,
    user: Optional[Column] = None,
    item: Optional[Column] = None,
    rating: Optional[Column] = None,
    time: Optional[Column] = None,
    min_rating: Optional[float] = None,
    drop_nulls: bool = False,
) -> Interactions:
    """Interactions from anything with __arrow_c_stream__: frames of polars and pandas, pyarrow, DuckDB.

    Columns are found by their names: user_id, item_id, rating, timestamp and others.
    """
    native, users, items = _native.from_arrow(
        table, user, item, rating, time, min_rating, drop_nulls
    )
    return Interactions(native, (users, items))


def random_split(
    data: Interactions, *, validation: float = 0.1, test: float = 0.1, seed: int = 123
) -> Split:
    """Draws validation and test set at random from all interactions."""
    return _split(data, _native.random_split(data._native, validation, test, seed))


def temporal_user_split(data: Interactions, *, validation: float = 0.1, test: float = 0.1) -> Split:
    """Each user's last interactions, by time."""
    return _split(data, _native.temporal_user_split(data._native, validation, test))


def temporal_global_split(
    data: Interactions, *, validation: float = 0.1, test: float = 0.1
) -> Split:
    """The last interactions of all, by time."""
    return _split(data, _native.temporal_global_split(data._native, validation, test))


def leave_last_out(data: Interactions) -> Split:
    """Each user's last interaction for the test, the one before it for validation."""
    return _split(data, _native.leave_last_out(data._native))


def given_split(
    train: Interactions,
    test: Interactions,
    *,
    validation: float = 0.1,
    seed: int = 123,
    drop_repeated: bool = False,
) -> Split:
    """A test set that is given; the validation set is drawn from the training set."""
    native = _native.given_split(train._native, test._native, validation, seed, drop_repeated)
    return _split(train, native)


def k_core(data: Interactions, users: int, items: int) -> Interactions:
    """The largest part in which each user and item has so many interactions."""
    return data._like(_native.k_core(data._native, users, items))


def synthetic(
    users: int = 3000, items: int = 2000, interactions_per_user: int = 40, seed: int = 123
) -> Interactions:
    """Interactions with preferences and popularity, to try things out."""
    native = _native.synthetic(users, items, interactions_per_user, seed)
    return Interactions(native, (True, True))

# SPDX-License-Identifier: BSD-3-Clause
"""Interactions of users with items."""

from __future__ import annotations

import os
import warnings
from typing import Any, Callable, List, Optional, Sequence, Tuple, Union

import numpy as np
import numpy.typing as npt

from ._load import module as _native
from .ids import Ids, IdSequence, Rows, all_integers, sequence, texts_of

Column = Union[int, str]


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
        wanted = sequence(ids, "users")
        return self._rows("user", self._native.user_rows(texts_of(wanted, "users")), wanted)

    def rows_of_items(self, ids: IdSequence) -> Rows:
        """The rows of items. Raises KeyError for an id that the data does not have."""
        wanted = sequence(ids, "items")
        return self._rows("item", self._native.item_rows(texts_of(wanted, "items")), wanted)

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

    def __reduce__(self) -> Tuple[Callable[..., "Interactions"], Tuple[Any, ...]]:
        users, items = self.pairs()
        parts = (self._native.user_ids(), self._native.item_ids(), users, items)
        return _unpickled, (*parts, np.asarray(self._native.times()), self._integers)


def _unpickled(
    user_ids: List[str], item_ids: List[str], users: Rows, items: Rows, times: Any,
    integers: Tuple[bool, bool],
) -> Interactions:  # fmt: skip
    native = _native.from_parts(
        texts_of(user_ids), texts_of(item_ids), users, items, times if len(times) else None
    )
    return Interactions(native, integers)


def require_interactions(data: Any, name: str) -> None:
    if not isinstance(data, Interactions):
        raise TypeError(
            f"{name} must be Interactions, as read(), from_arrow(), from_csr() and from_pairs() make "
            f"them, not {type(data).__name__}"
        )


NO_COLUMN: int = _native.no_column
FILE_ORDER: int = _native.file_order


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
    comment: Optional[str] = None,
    decimal_comma: bool = False,
    backslash_escapes: bool = False,
    missing_ids: Optional[Sequence[str]] = None,
) -> Interactions:
    """Reads interactions from a text file, plain or gzip.

    MovieLens, CSV, TSV, RecBole's .inter, LightGCN's adjacency lists and MatrixMarket are found out
    by themselves; columns by their names in a header, or by position. time: NO_COLUMN reads no times,
    FILE_ORDER takes the order of the lines. Options are those of docs/how_to/reading.md. Raises OSError, with
    file and line, for a file that is not what it seems. `.summary` says how it was read.
    """
    native = _native.read(
        os.fspath(path), format, delimiter, user, item, rating, time, min_rating, header, drop_invalid,
        comment, decimal_comma, backslash_escapes, None if missing_ids is None else list(missing_ids),
    )  # fmt: skip
    doubt = native.doubt()
    if doubt:
        warnings.warn(f"{os.fspath(path)}: {doubt}", stacklevel=2)
    return Interactions(native)


def from_pairs(
    users: IdSequence, items: IdSequence, *, times: Optional[Sequence[float]] = None
) -> Interactions:
    """Interactions from two sequences of ids of the same length, integers or text.

    times: numbers, or dates, which become seconds since 1970. Raises ValueError for missing ids.
    """
    ids: List[Any] = []
    integers: List[bool] = []
    for name, column in (("users", users), ("items", items)):
        values: Any = column.to_numpy() if hasattr(column, "to_numpy") else column
        if not isinstance(values, np.ndarray) or values.dtype.kind not in "iu":
            values = sequence(column, name)
        if isinstance(values, np.ndarray) and values.dtype.kind in "iu" and values.ndim == 1:
            integers.append(True)
            small = values.dtype != np.uint64 or not len(values) or values.max() < 2**63
            if small:
                ids.append(np.ascontiguousarray(values, dtype=np.int64))
                continue
        else:
            values = sequence(values, name)
            integers.append(len(values) > 0 and all_integers(values))
        ids.append(texts_of(list(values), name))
    seconds = None if times is None else _seconds(times)
    return Interactions(_native.from_ids(ids[0], ids[1], seconds), (integers[0], integers[1]))


def _seconds(times: Any) -> npt.NDArray[np.float64]:
    array = np.asarray(times)
    if array.dtype.kind == "M":
        if np.isnat(array).any():
            raise ValueError("times must have no missing dates")
        array = array.astype("datetime64[ns]").astype(np.int64) / 1e9
    return np.ascontiguousarray(array, dtype=np.float64)


def from_csr(matrix: Any) -> Interactions:
    """Interactions from a scipy.sparse matrix, users x items: its entries that are not 0.

    Ids are the numbers of rows and columns.
    """
    if not hasattr(matrix, "tocoo"):
        raise TypeError(f"must be a sparse matrix of SciPy, not {type(matrix).__name__}")
    coordinates = matrix.tocoo()
    kept = coordinates.data != 0
    rows, columns = (
        np.ascontiguousarray(index[kept], dtype=np.uint32)
        for index in (coordinates.row, coordinates.col)
    )
    native = _native.from_rows(rows, columns, matrix.shape[0], matrix.shape[1], None)
    return Interactions(native, (True, True))


def histories_of(matrix: Any) -> List[Rows]:
    """The items of each row of a sparse matrix, as rows of items; entries of 0 are none."""
    rows = matrix.tocsr()
    return [
        np.ascontiguousarray(rows.indices[a:b][rows.data[a:b] != 0], dtype=np.uint32)
        for a, b in zip(rows.indptr[:-1], rows.indptr[1:])
    ]


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

    Columns are found by their names: user_id, item_id, rating, timestamp and others. Raises ValueError
    for a table whose columns are not of interactions.
    """
    if not hasattr(table, "__arrow_c_stream__"):
        raise TypeError(
            f"must be a table with __arrow_c_stream__, such as a frame of polars or pandas 2.2, not "
            f"{type(table).__name__}"
        )
    try:
        native, users, items = _native.from_arrow(
            table, user, item, rating, time, min_rating, drop_nulls
        )
    except OSError as error:
        text = str(error).replace("pass ArrowNulls::drop", "pass drop_nulls=True")
        raise ValueError(text) from None
    return Interactions(native, (users, items))


def k_core(data: Interactions, users: int, items: int) -> Interactions:
    """The largest part in which each user and item has so many interactions."""
    return data._like(_native.k_core(data._native, users, items))


def synthetic(
    users: int = 3000, items: int = 2000, interactions_per_user: int = 40, seed: int = 123
) -> Interactions:
    """Interactions with preferences and popularity, to try things out."""
    native = _native.synthetic(users, items, interactions_per_user, seed)
    return Interactions(native, (True, True))

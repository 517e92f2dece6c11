# SPDX-License-Identifier: BSD-3-Clause
"""The ids of users and items."""

from __future__ import annotations

import numbers
from typing import Any, Iterator, List, Optional, Sequence, Union

import numpy as np
import numpy.typing as npt

from ._load import module as _native

IdArray = npt.NDArray[Any]
Rows = npt.NDArray[np.uint32]
IdSequence = Union[Sequence[Any], npt.NDArray[Any]]


class Ids:
    """The ids of users or items: row r of a table belongs to the id ids[r].

    Integers stay integers; everything else is text. Indexing and slices are those of `array`.
    """

    def __init__(self, texts: List[str], integers: bool) -> None:
        self._texts = texts
        self.integers = integers
        self._array: Optional[IdArray] = None

    def __len__(self) -> int:
        return len(self._texts)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.array.tolist())

    def __getitem__(self, rows: Any) -> Any:
        return self.array[rows]

    def __repr__(self) -> str:
        return repr(self.array)

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
            self._array.flags.writeable = False
        return self._array

    def of(self, rows: Rows) -> IdArray:
        """The ids of rows; of `absent` rows None, or -1 among int64."""
        known = rows != _native.absent
        nothing = None if self.array.dtype == object else -1
        ids: IdArray = np.full(rows.shape, nothing, dtype=self.array.dtype)
        ids[known] = self.array[rows[known]]
        return ids


def sequence(ids: Any, name: str = "ids") -> List[Any]:
    """A list of ids. One id by itself is an error, as text would be taken letter by letter."""
    if isinstance(ids, (list, tuple)):
        return list(ids)
    if (
        isinstance(ids, (str, bytes))
        or not hasattr(ids, "__iter__")
        or getattr(ids, "shape", 1) == ()
    ):
        raise TypeError(f"{name} must be a sequence of ids, such as [{ids!r}], not one id")
    if hasattr(ids, "columns") or getattr(ids, "ndim", 1) != 1:
        raise TypeError(f"{name} must be a sequence of ids, not a table")
    if hasattr(ids, "to_list"):  # pandas and polars
        return list(ids.to_list())
    return list(ids.tolist() if hasattr(ids, "tolist") else ids)


def texts_of(ids: Sequence[Any], name: str = "ids") -> List[bytes]:
    """Ids as the library has them."""
    return [text_of(one, f"{name}[{k}]") for k, one in enumerate(ids)]


def text_of(one: Any, name: str) -> bytes:
    if isinstance(one, str) and one != "":
        return one.encode("utf-8", "surrogateescape")
    if isinstance(one, numbers.Integral) and not isinstance(one, (bool, np.bool_)):
        return str(int(one)).encode()
    missing = (
        one is None
        or (isinstance(one, str) and one == "")
        or (isinstance(one, float) and one != one)
        or type(one).__name__ in ("NAType", "NaTType")  # of pandas
    )
    raise ValueError(
        f"{name} is {one!r}: "
        + ("there must be no missing ids" if missing else "an id must be an integer or text")
    )


def all_integers(ids: Sequence[Any]) -> bool:
    return all(isinstance(one, numbers.Integral) for one in ids)

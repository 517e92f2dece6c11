# SPDX-License-Identifier: BSD-3-Clause
"""The magnitudes that items are ranked with."""

from __future__ import annotations

import numbers
from dataclasses import dataclass
from typing import Any, Mapping, Optional, Sequence, Union

from ._check import real
from ._load import module as _native


@dataclass(frozen=True)
class Ranking:
    """The magnitudes that items are ranked with, from their popularity d in training.

    `power`: (d + 1)^power. `alpha`: PRISM's alpha * log(d + 2) + 1 - alpha. `exponent`: the row's own
    magnitude to this power, times that. A sequence of powers or alphas: training chooses the one that
    ranks the validation set best. `magnitudes`: in place of power and alpha, one for each item in the
    order of item_ids. `users`: users' rows get magnitudes from their popularity too, which changes
    scores, but no user's list.
    """

    power: Union[None, float, Sequence[float]] = None
    alpha: Union[None, float, Sequence[float]] = None
    exponent: Optional[float] = None
    magnitudes: Optional[Sequence[float]] = None
    users: bool = False

    @classmethod
    def power_by_validation(cls) -> "Ranking":
        return cls(power=tuple(_native.default_powers))

    @classmethod
    def alpha_by_validation(cls) -> "Ranking":
        return cls(alpha=tuple(_native.default_alphas))

    def __post_init__(self) -> None:
        if not isinstance(self.users, bool):
            raise TypeError(f"users must be True or False, not {self.users!r}")
        if self.magnitudes is None:
            return
        several: Any = self.magnitudes
        try:
            numbers_of = () if isinstance(several, (str, bytes, Mapping)) else tuple(several)
        except TypeError:  # cannot be iterated
            numbers_of = ()
        if not numbers_of:
            raise ValueError(f"magnitudes must have a number for each item, not {several!r}")
        object.__setattr__(self, "magnitudes", tuple(real("magnitudes", one) for one in numbers_of))

    def _to_native(self) -> Any:
        given = [n for n in ("power", "alpha", "magnitudes") if getattr(self, n) is not None]
        if len(given) > 1:
            raise ValueError(f"Ranking must have only one of {' and '.join(given)}")
        native = _native.Ranking()
        for name, value in (("power", self.power), ("alpha", self.alpha)):
            if value is None:
                continue
            if isinstance(value, numbers.Real):
                setattr(native, name, real(name, value))
                continue
            several: Any = value
            if isinstance(value, str) or not hasattr(value, "__iter__") or not len(several):
                raise ValueError(f"{name} must be a number or a sequence of numbers, not {value!r}")
            setattr(native, name + "s", [real(name, one) for one in several])
        if self.magnitudes is not None:
            native.magnitudes = list(self.magnitudes)
        native.users = self.users
        native.exponent = None if self.exponent is None else real("exponent", self.exponent)
        return native

    def chooses(self) -> bool:
        """Whether training chooses the power or alpha."""
        return any(hasattr(value, "__iter__") for value in (self.power, self.alpha))

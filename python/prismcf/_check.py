# SPDX-License-Identifier: BSD-3-Clause
"""Arguments that are numbers or words."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np


def whole(name: str, value: Any, least: int) -> int:
    if (
        not isinstance(value, numbers.Integral)
        or isinstance(value, (bool, np.bool_))
        or value < least
    ):
        raise ValueError(f"{name} must be an integer of at least {least}, not {value!r}")
    return int(value)


def real(name: str, value: Any) -> float:
    if not isinstance(value, numbers.Real) or isinstance(value, (bool, np.bool_)):
        raise ValueError(f"{name} must be a number, not {value!r}")
    return float(value)


def by_cosine(similarity: str) -> bool:
    if similarity not in ("dot", "cosine"):
        raise ValueError(f"similarity must be 'dot' or 'cosine', not {similarity!r}")
    return similarity == "cosine"

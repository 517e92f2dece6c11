# SPDX-License-Identifier: BSD-3-Clause
"""A policy's options as the library has them."""

from __future__ import annotations

import numbers
from typing import Any

from . import policies
from ._load import module as _native


def number_of(name: str, value: Any, policy: policies.Policy) -> float:
    """An option's value: of an enumeration its position."""
    if isinstance(value, numbers.Real):
        return float(value)
    for option, _, _, _, enumerators in _described(policy):
        choices = enumerators.split(", ") if enumerators else []
        if option == name and value in choices:
            return float(choices.index(value))
        if option == name and enumerators:
            raise ValueError(f"{name} must be one of {enumerators}, not {value!r}")
    raise ValueError(f"{name} must be a number, not {value!r}")


def _described(policy: policies.Policy) -> Any:
    """The library's description of a policy's options."""
    loaded = getattr(policy, "loaded", None)
    if loaded is not None:
        return loaded.options
    for kind, name, options in _native.policies():
        if (kind, name) == (policy.kind, policy.policy_name()):
            return options
    return []

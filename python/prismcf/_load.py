# SPDX-License-Identifier: BSD-3-Clause
"""Chooses the module that is compiled for this processor."""

from __future__ import annotations

import importlib
import importlib.util
import os
from types import ModuleType

# From the one that asks for most: names of modules, and the levels of x86-64 that they need.
_VARIANTS = (("native", 0), ("x86_64_v4", 4), ("x86_64_v3", 3), ("x86_64_v2", 2))

VARIABLE = "PRISMCF_VARIANT"


def _level() -> int:
    """The level of x86-64 of this processor; 0 where only a module for this machine is installed."""
    if not _installed("cpu"):
        return 0
    return int(importlib.import_module("prismcf._cpu").level())


def _installed(name: str) -> bool:
    return importlib.util.find_spec(f"prismcf._{name}") is not None


def _load() -> tuple[ModuleType, str]:
    wanted = os.environ.get(VARIABLE)
    level = _level()
    installed = [name for name, _ in _VARIANTS if _installed(name)]
    if wanted is not None and wanted not in installed:
        raise ImportError(f"{VARIABLE} must be one of {', '.join(installed)}, not '{wanted}'")
    for name, needed in _VARIANTS:
        chosen = name == wanted if wanted is not None else needed <= level
        if name in installed and chosen:
            return importlib.import_module(f"prismcf._{name}"), name
    if not installed:
        raise ImportError(
            f"prismcf is not built: {os.path.dirname(__file__)} is a folder of its sources, which pip "
            "install ./python compiles; run Python elsewhere"
        )
    raise ImportError(
        "this processor lacks instructions that every installed module of prismcf needs "
        f"({', '.join(installed)}): build it here, with pip install ./python"
    )


module, variant = _load()

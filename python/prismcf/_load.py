# SPDX-License-Identifier: BSD-3-Clause
"""Chooses the module that is compiled for this processor."""

from __future__ import annotations

import importlib
import importlib.util
import os
from types import ModuleType

# From the one that asks for most. Each is a name of a module, and the processor's flags that it
# needs, as /proc/cpuinfo has them.
_V2 = {"cx16", "lahf_lm", "popcnt", "sse4_1", "sse4_2", "ssse3"}
_V3 = _V2 | {"avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "abm", "movbe", "xsave"}
_V4 = _V3 | {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}
_VARIANTS: tuple[tuple[str, set[str]], ...] = (
    ("native", set()),
    ("x86_64_v4", _V4),
    ("x86_64_v3", _V3),
    ("x86_64_v2", _V2),
)  # fmt: skip

VARIABLE = "PRISMCF_VARIANT"


def _flags() -> set[str]:
    try:
        with open("/proc/cpuinfo", encoding="ascii", errors="replace") as file:
            for line in file:
                if line.startswith("flags"):
                    return set(line.split(":", 1)[1].split())
    except OSError:
        pass
    return set()


def _installed(name: str) -> bool:
    return importlib.util.find_spec(f"prismcf._{name}") is not None


def _load() -> tuple[ModuleType, str]:
    wanted = os.environ.get(VARIABLE)
    flags = _flags()
    installed = [name for name, _ in _VARIANTS if _installed(name)]
    if wanted is not None and wanted not in installed:
        raise ImportError(f"{VARIABLE} must be one of {', '.join(installed)}, not '{wanted}'")
    for name, needed in _VARIANTS:
        chosen = name == wanted if wanted is not None else needed <= flags
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

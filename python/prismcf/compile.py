# SPDX-License-Identifier: BSD-3-Clause
"""Losses of one's own, in a few lines of C++: compile()."""

from __future__ import annotations

import dataclasses
import functools
import keyword
import os
import re
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Type

from ._load import module as _native
from ._load import variant as _variant
from .policies import Loss

_UNIT = """\
#include <prism/prism.hpp>
using namespace prism;
#line 1 "{name}"
{source}
#line 1 "the end of {name}"
#include <prism/models/describe_options.hpp>
#include <prism/models/with_spec.hpp>

#define PRISMCF_EXPORT extern "C" __attribute__((visibility("default")))
PRISMCF_EXPORT AnyRecommender* prismcf_make(const ModelSpec& spec, const Interactions& train) {{
  return make_model_with<{name}>(par, spec, Interactions(train)).release();
}}
PRISMCF_EXPORT void prismcf_describe(std::vector<OptionDescription>& options, bool& by_dot_product) {{
  describe_options("loss", {name}{{}}, options);
  by_dot_product = loss_traits({name}{{}}).dot_product_logits;
}}
"""


class CompileError(ValueError):
    """The compiler's first errors, and in `output` all that it said."""

    def __init__(self, message: str, output: str) -> None:
        super().__init__(message)
        self.output = output


def compile(
    source: str,
    *,
    name: Optional[str] = None,
    compiler: Optional[str] = None,
    flags: Sequence[str] = (),
) -> Type[Loss]:
    """Compiles a loss, and returns its class, a dataclass with the options of its table.

        Hinge = pr.compile('''
        struct Hinge {
          static constexpr std::string_view name = "Hinge";
          static constexpr Similarity similarity = Similarity::dot;
          double margin = 1;
          static constexpr auto options =
              option_table(option<&Hinge::margin>("margin", domain::positive));
          template <class T>
          constexpr T pairwise(T difference) const {  // s(u,j) - s(u,i)
            return max(T{0}, margin + difference);
          }
        };
        ''')
        model = pr.Recommender(pr.MF(64), Hinge(margin=2.0)).fit(split)

    source: a struct as docs/reference/policies.md describes. name: the struct's; by default that of the last one.
    compiler: by default that of the environment variable CXX, g++ or clang++. flags: further ones.

    Takes about a minute the first time; the result is kept in ~/.cache/prismcf, or in the folder that
    PRISMCF_CACHE names. Raises RuntimeError if there is no compiler, or no headers of oneTBB, xtensor
    and xsimd; CompileError, with the compiler's words, if the source is wrong.
    """
    # Imported here and below, because they would make import prismcf slower.
    import shutil
    import textwrap

    found = shutil.which(compiler or os.environ.get("CXX", "")) or (
        None if compiler else shutil.which("g++") or shutil.which("clang++")
    )
    if found is None:
        raise RuntimeError(
            f"there is no C++ compiler {compiler or 'g++ or clang++'}: install one, or name it with "
            "compiler= or the environment variable CXX"
        )
    if name is None:
        structs = re.findall(r"^struct\s+(\w+)", textwrap.dedent(source), re.MULTILINE)
        if not structs:
            raise ValueError("source has no struct; it must have one, the loss")
        name = structs[-1]
    unit = _UNIT.format(name=name, source=source.strip("\n"))
    if isinstance(flags, str):
        raise TypeError(f"flags must be a sequence, such as [{flags!r}]")
    command = [found, *_flags(), *flags]
    library = _cached(command, unit, name)
    if not os.path.exists(library):
        _compile(command, unit, library)
    made = _CLASSES.get(library)
    if made is None:
        again = functools.partial(compile, source, name=name, compiler=compiler, flags=tuple(flags))
        made = _CLASSES[library] = _class(name, _native.LoadedLoss(library), again)
    return made


_INCLUDE = os.path.join(os.path.dirname(__file__), "include")
_CLASSES: Dict[str, Type[Loss]] = {}  # by library


def _flags() -> List[str]:
    march = _variant.replace("_", "-")
    return [
        "-std=c++20", "-O2", f"-march={march}", "-fPIC", "-shared", "-fvisibility=hidden", "-w",
        f"-I{_INCLUDE}",
    ]  # fmt: skip


def _cached(command: List[str], unit: str, name: str) -> str:
    import hashlib
    import subprocess

    folder = os.environ.get("PRISMCF_CACHE") or os.path.join(
        os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "prismcf"
    )
    version = subprocess.run([command[0], "--version"], capture_output=True, text=True).stdout
    text = "\n".join([*command, version, _headers(), unit])
    return os.path.join(folder, f"{name}-{hashlib.sha256(text.encode()).hexdigest()[:16]}.so")


@functools.lru_cache(maxsize=None)
def _headers() -> str:
    """A hash of the library's headers, whose types the loss and the module share."""
    import hashlib

    digest = hashlib.sha256(_native.instruction_set.encode())
    for folder, folders, files in os.walk(_INCLUDE, followlinks=True):
        folders.sort()
        for name in sorted(files):
            with open(os.path.join(folder, name), "rb") as file:
                digest.update(name.encode() + file.read())
    return digest.hexdigest()


def _compile(command: List[str], unit: str, library: str) -> None:
    import subprocess
    import tempfile

    folder = os.path.dirname(library)
    os.makedirs(folder, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as work:
        source, made = os.path.join(work, "loss.cpp"), os.path.join(work, "loss.so")
        with open(source, "w", encoding="utf-8") as file:
            file.write(unit)
        done = subprocess.run(
            [*command, source, "-o", made, "-ltbb"],
            capture_output=True,
            text=True,
            env={**os.environ, "LC_ALL": "C"},
        )
        if done.returncode != 0:
            missing = re.search(
                r"fatal error: '?((?:tbb|oneapi|xsimd|xtensor)[^\s':]*)|cannot find (-ltbb)",
                done.stderr,
            )
            if missing:
                raise RuntimeError(
                    f"the compiler finds no {missing[1] or missing[2]}: install oneTBB, xtensor and "
                    "xsimd with their headers (on Debian: libtbb-dev, libxtensor-dev, libxsimd-dev)"
                )
            raise CompileError(_first_errors(done.stderr), done.stderr)
        os.replace(made, library)  # complete or not at all


def _first_errors(output: str) -> str:
    """The lines of the first errors, those about the source itself first."""
    lines = [line for line in output.splitlines() if re.search(r"\berror: ", line)]
    contract = [
        line for line in lines if "static assertion failed" in line or "static_assert" in line
    ]
    own = [line for line in lines if not line.startswith("/") and "include/prism" not in line]
    chosen = list(dict.fromkeys([*contract[:2], *own[:3], *lines[:1]]))
    chosen = chosen or output.splitlines()[-3:]
    return "the loss does not compile:\n" + "\n".join(
        re.sub(r"^\S*include/prism", "prism", line) for line in chosen
    )


_TYPES: Dict[str, type] = {"bool": bool, "int": int, "float": float, "str": str}


def _class(name: str, loaded: Any, again: Callable[[], Type[Loss]]) -> Type[Loss]:
    fields: List[Tuple[str, Any, Any]] = []
    for option, kind, default, _, enumerators in loaded.options:
        value = enumerators.split(", ")[int(default)] if kind == "str" else _TYPES[kind](default)
        field = option.split(".", 1)[1]
        if keyword.iskeyword(field) or hasattr(Loss, field) or field in ("loaded", "loss"):
            field += "_"
        fields.append((field, _TYPES[kind], dataclasses.field(default=value)))

    def reduced(self: Any) -> Tuple[Any, Tuple[Any, ...]]:
        return _pickled, (again, dataclasses.astuple(self))

    return dataclasses.make_dataclass(
        name, fields, bases=(Loss,), frozen=True,
        namespace={"loaded": loaded, "__reduce__": reduced},
    )  # fmt: skip


def _pickled(again: Callable[[], Type[Loss]], options: Tuple[Any, ...]) -> Loss:
    """A pickled loss is compiled again, unless its library is still there."""
    return again()(*options)

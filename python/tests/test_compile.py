# SPDX-License-Identifier: BSD-3-Clause
"""A loss in a few lines of C++ is compiled once, trains, and is refused in words."""

import os
import pickle
import shutil
import time

import numpy as np
import pytest
from conftest import quiet_fit

import prismcf as pr

pytestmark = pytest.mark.skipif(
    shutil.which(os.environ.get("CXX", "g++")) is None, reason="there is no compiler"
)

SOFTPLUS = """
struct Softplus {
  static constexpr std::string_view name = "Softplus";
  static constexpr Similarity similarity = Similarity::dot;
  double scale = 1;
  std::size_t negatives = 1;
  static constexpr auto options =
      option_table(option<&Softplus::scale>("scale", domain::positive),
                   option<&Softplus::negatives>("negatives", domain::at_least_one));
  template <class T>
  constexpr T pairwise(T difference) const {
    return log(T{1} + exp(scale * difference));
  }
};
"""


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    folder = str(tmp_path_factory.mktemp("cache"))
    before = os.environ.get("PRISMCF_CACHE")
    os.environ["PRISMCF_CACHE"] = folder
    yield folder
    if before is None:
        del os.environ["PRISMCF_CACHE"]
    else:
        os.environ["PRISMCF_CACHE"] = before


@pytest.fixture(scope="module")
def softplus(cache):
    return pr.compile(SOFTPLUS)


def test_it_trains_as_the_librarys_own_loss(split, softplus):
    options = {"learning_rate": 0.01, "batch_size": 256, "epochs": 3}
    own = quiet_fit(pr.Recommender(pr.MF(8), softplus(), **options), split)
    bpr = quiet_fit(pr.Recommender(pr.MF(8), pr.BPR(), **options), split)
    assert "Softplus" in own.model_.name
    assert np.allclose(own.item_factors, bpr.item_factors, atol=1e-4)
    assert not np.allclose(
        quiet_fit(pr.Recommender(pr.MF(8), softplus(scale=3.0), **options), split).item_factors,
        bpr.item_factors,
        atol=1e-4,
    )


def test_its_options_are_those_of_its_table(split, softplus):
    assert softplus() == softplus(scale=1.0, negatives=1)
    with pytest.raises(ValueError, match="scale: must be a finite number above 0"):
        pr.Recommender(pr.MF(4), softplus(scale=-1.0), epochs=1).fit(split)
    assert pr.Recommender(loss=softplus()).set_params(loss__scale=2.0).loss == softplus(scale=2.0)


def test_it_is_compiled_once(softplus, cache):
    began = time.monotonic()
    again = pr.compile(SOFTPLUS)
    assert time.monotonic() - began < 5 and len(os.listdir(cache)) == 1
    assert again is softplus
    assert pickle.loads(pickle.dumps(softplus(scale=2.0))) == softplus(scale=2.0)


def test_a_mistake_is_shown_with_its_line(cache):
    with pytest.raises(pr.CompileError) as raised:
        pr.compile(SOFTPLUS.replace("scale * difference", "scale * distance"))
    assert "distance" in str(raised.value) and "Softplus:" in str(raised.value)
    assert len(str(raised.value).splitlines()) < 10 < len(raised.value.output.splitlines())
    assert len(os.listdir(cache)) <= 1  # nothing half-written


def test_what_is_missing_is_said(cache):
    with pytest.raises(RuntimeError, match="no C\\+\\+ compiler"):
        pr.compile(SOFTPLUS, compiler="no-such-compiler")
    with pytest.raises(ValueError, match="has no struct"):
        pr.compile("int x;")


def test_options_with_names_that_python_has(cache):
    import sys

    from prismcf import compile as function  # noqa: F401

    module = sys.modules["prismcf.compile"]

    class Loaded:
        options = [
            (f"loss.{name}", "float", 0.5, "", "")
            for name in ("lambda", "options", "kind", "dim", "dropout", "margin")
        ]

    made = module._class("Odd", Loaded(), lambda: made)
    assert list(made(dropout=0.9).options()) == [
        ("loss.lambda", 0.5),
        ("loss.options", 0.5),
        ("loss.kind", 0.5),
        ("loss.dim", 0.5),
        ("loss.dropout", 0.9),
        ("loss.margin", 0.5),
    ]


@pytest.mark.parametrize(
    "says, error, words",
    [
        (
            "loss.cpp:1:10: fatal error: tbb/parallel_for.h: No such file",
            RuntimeError,
            "finds no tbb",
        ),
        (
            "loss.cpp:1:10: fatal error: 'xsimd/xsimd.hpp' file not found",
            RuntimeError,
            "finds no xsimd",
        ),
        ("/usr/bin/ld: cannot find -ltbb", RuntimeError, "finds no -ltbb"),
        ("killed", pr.CompileError, "killed"),
    ],
)
def test_what_a_compiler_says_is_put_into_words(tmp_path, cache, says, error, words):
    compiler = tmp_path / "compiler"
    compiler.write_text(f'#!/bin/sh\n[ "$1" = --version ] && exit 0\necho "{says}" >&2\nexit 1\n')
    compiler.chmod(0o755)
    with pytest.raises(error, match=words):
        pr.compile(SOFTPLUS, compiler=str(compiler))

# SPDX-License-Identifier: BSD-3-Clause
"""Spack before 1.0: in a repository of your own, as packages/prismcf/package.py."""
from spack.package import *


class Prismcf(CMakePackage):
    """Collaborative filtering with parts chosen at compile time."""

    license("BSD-3-Clause")
    # A clone: spack develop --path /path/to/prism prismcf@main
    version("main")

    depends_on("cxx", type="build")
    depends_on("cmake@3.22:", type="build")
    depends_on("xtensor@0.24:")
    depends_on("xsimd@8.1:")
    depends_on("tbb")
    depends_on("zlib-api")
    conflicts("%gcc@:11")
    conflicts("%clang@:15")

    def cmake_args(self):
        return [self.define(f"PRISM_BUILD_{part}", False) for part in ("TESTS", "BENCH", "EXAMPLES")]

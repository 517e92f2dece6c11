# SPDX-License-Identifier: BSD-3-Clause
"""Spack: in a repository of your own, as packages/prismcf/package.py."""
from spack.package import *


class Prismcf(CMakePackage):
    """Collaborative filtering with parts chosen at compile time."""

    license("BSD-3-Clause")
    # A clone: spack develop --path /path/to/prism prismcf@main
    version("main")

    depends_on("cxx", type="build")
    depends_on("cmake@3.22:", type="build")
    depends_on("xtensor@0.24:0.25")
    depends_on("xsimd@8.1:")
    depends_on("intel-oneapi-tbb@2021.5:")
    depends_on("zlib-api")
    requires("%gcc@12:", "%clang@16:", policy="one_of")

    def cmake_args(self):
        return [self.define(f"PRISM_BUILD_{part}", False) for part in ("TESTS", "BENCH", "EXAMPLES")]

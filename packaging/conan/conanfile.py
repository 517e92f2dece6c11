# SPDX-License-Identifier: BSD-3-Clause
"""Conan 2: conan create packaging/conan --build missing -s compiler.cppstd=20"""
import os
import re

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load


class PrismConan(ConanFile):
    name = "prismcf"
    description = "Collaborative filtering with parts chosen at compile time"
    license = "BSD-3-Clause"
    topics = ("recommender-systems", "collaborative-filtering", "header-only")
    package_type = "header-library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"with_zlib": [True, False]}
    default_options = {"with_zlib": True}
    root = os.path.join("..", "..")

    def set_version(self):
        lists = load(self, os.path.join(self.recipe_folder, self.root, "CMakeLists.txt"))
        self.version = re.search(r"project\(prism VERSION (\S+)", lists).group(1)

    def export_sources(self):
        for pattern in ("CMakeLists.txt", "LICENSE", "cmake/*", "include/*", "src/*"):
            copy(self, pattern, os.path.join(self.recipe_folder, self.root), self.export_sources_folder)

    def layout(self):
        cmake_layout(self)

    def requirements(self):
        self.requires("xtensor/[>=0.24]", transitive_headers=True)
        self.requires("xsimd/[>=8.1]", transitive_headers=True)
        self.requires("onetbb/[>=2021.5]", transitive_headers=True, transitive_libs=True)
        if self.options.with_zlib:
            self.requires("zlib/[>=1.2.11 <2]", transitive_headers=True, transitive_libs=True)

    def package_id(self):
        self.info.settings.clear()

    def validate(self):
        check_min_cppstd(self, 20)

    def generate(self):
        toolchain = CMakeToolchain(self)
        for part in ("TESTS", "BENCH", "EXAMPLES"):
            toolchain.cache_variables[f"PRISM_BUILD_{part}"] = False
        toolchain.cache_variables["CMAKE_DISABLE_FIND_PACKAGE_ZLIB"] = not self.options.with_zlib
        toolchain.generate()
        CMakeDeps(self).generate()

    def build(self):
        CMake(self).configure()

    def package(self):
        CMake(self).install()

    def package_info(self):
        # The package's own files for find_package(prism), which has prism::compiled too.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs = [os.path.join("share", "cmake", "prism")]
        self.cpp_info.bindirs = []
        self.cpp_info.libdirs = []

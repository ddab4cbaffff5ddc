# SPDX-License-Identifier: Zlib
"""The Conan 2 recipe of Overture.

    conan profile detect                                    # once
    conan create . -s compiler.cppstd=20                    # static libraries

and with more options

    -o "overture/*:shared=True"               # liboverture.so
    -o "overture/*:system_libraries=True"     # with the system's zlib, libspng, ...

Programs use Overture's own CMake package and .pc files; test_package/ shows how.
"""

import pathlib
import re

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy
from conan.tools.gnu import PkgConfigDeps


class Overture(ConanFile):
    name = "overture"
    description = "A loading runtime for games"
    license = "Zlib"
    topics = ("games", "loading", "virtual-file-system", "archives", "jobs")
    package_type = "library"
    settings = "os", "compiler", "build_type", "arch"
    options = {
        "shared": [True, False],
        "modules": ["all", "core"],  # core: base, sync, trace, jobs and text
        "system_libraries": [True, False],
    }
    default_options = {"shared": False, "modules": "all", "system_libraries": False}
    exports_sources = (
        "CMakeLists.txt", "cmake/*", "include/*", "src/*", "sounds/*", "loaders/*", "guards/*",
        "docs/guide/*", "docs/formats/*", "LICENSE", "THIRD_PARTY.md",
    )

    def set_version(self):
        header = pathlib.Path(self.recipe_folder, "include/overture/base/version.hpp").read_text()
        parts = re.findall(r"#define OVERTURE_VERSION_\w+ (\d+)", header)
        self.version = ".".join(parts)

    def layout(self):
        cmake_layout(self)

    def validate(self):
        check_min_cppstd(self, 20)

    def requirements(self):
        if self.options.system_libraries:
            return
        self.requires("tl-expected/1.1.0", transitive_headers=True)
        if self.options.modules == "core":
            return
        for library in ("libdeflate/1.19", "zstd/1.5.5", "lz4/1.9.4", "xz_utils/5.4.5",
                        "zlib/1.3.1", "bzip2/1.0.8", "libspng/0.7.4", "libjpeg-turbo/3.0.2",
                        "ogg/1.3.5", "vorbis/1.3.7", "opus/1.4", "opusfile/0.12"):
            self.requires(library)

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.user_presets_path = False
        toolchain.cache_variables["OVERTURE_MODULES"] = str(self.options.modules)
        for part in ("CLI", "TESTS", "BENCH", "EXAMPLES", "PHYSFS"):
            toolchain.cache_variables[f"OVERTURE_{part}"] = "OFF"
        toolchain.generate()
        if not self.options.system_libraries:
            CMakeDeps(self).generate()
            PkgConfigDeps(self).generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()
        for notice in ("LICENSE", "THIRD_PARTY.md"):
            copy(self, notice, self.source_folder, f"{self.package_folder}/licenses")

    def package_info(self):
        # overture-config.cmake knows the modules and what they need.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs = ["lib/cmake/overture"]

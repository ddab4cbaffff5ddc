// SPDX-License-Identifier: Zlib
//
// The code of tinygltf, which is a header alone. CMakeLists.txt leaves out what opens files and
// decodes images.
#include <fstream>
#include <nlohmann/json.hpp>

#define TINYGLTF_IMPLEMENTATION
#include <tiny_gltf.h>

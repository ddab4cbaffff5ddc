// SPDX-License-Identifier: Zlib
//
// glTF by tinygltf, which opens no files here: it gets the buffers that Overture has loaded.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "overture/assets.hpp"
#include "overture/loaders/image_loader.hpp"
#include "overture/loaders/plain_loaders.hpp"

namespace tinygltf {
class Model;
}

namespace gltf {

// A file that a glTF names. One that is inside of it has no path.
struct buffer {
  std::string path;
  overture::asset<overture::loaders::file_bytes> file;
};
struct picture {
  std::string path;
  overture::asset<overture::loaders::image> file;
  std::shared_ptr<const overture::loaders::image> inside;
  [[nodiscard]] const overture::loaders::image* get() const {
    return inside != nullptr ? inside.get() : file.get();
  }
};

struct surface {
  int material = -1;  // -1: none
  std::vector<std::array<float, 3>> positions;
  std::vector<std::uint32_t> indices;  // into them; empty if the positions come one by one
};
struct mesh {
  std::string name;
  std::vector<surface> surfaces;
};
struct material {
  std::string name;
  std::array<double, 4> colour{1, 1, 1, 1};
  picture texture;
};

// A .gltf or .glb.
class file {
 public:
  file();
  file(file&& other) noexcept;
  file& operator=(file&& other) noexcept;
  ~file();

  // Finds which other files the one with this path names, and keeps a copy of its bytes.
  [[nodiscard]] static overture::result<file> open(std::span<const std::byte> bytes,
                                                   std::string_view path);
  std::vector<buffer> buffers;
  std::vector<picture> pictures;
  // Once the files of the buffers are ready. What tinygltf has to say goes to stderr.
  overture::result<void> parse(std::string_view path);

  // Its parts: "mesh0" for each node that has one, "material1".
  [[nodiscard]] std::vector<std::string> meshes_to_draw() const;
  [[nodiscard]] std::vector<std::string> materials() const;
  [[nodiscard]] overture::result<mesh> mesh_of(std::string_view part) const;
  [[nodiscard]] overture::result<material> material_of(std::string_view part) const;
  [[nodiscard]] std::uint64_t bytes() const;

 private:
  struct elements;
  overture::result<void> decode_pictures();
  [[nodiscard]] overture::result<std::span<const std::byte>> view_of(int index) const;
  [[nodiscard]] overture::result<elements> elements_of(int index) const;
  overture::result<void> read_positions(int accessor, surface& to) const;
  overture::result<void> read_indices(int accessor, surface& to) const;

  std::vector<std::byte> source_;  // until it is parsed
  std::unique_ptr<tinygltf::Model> model_;
};

}  // namespace gltf

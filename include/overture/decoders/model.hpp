// SPDX-License-Identifier: Zlib
//
// model_view: reads a decoded model, as surfaces of triangles with one set of vertices per
// animation frame, and tangents for normal mapping.
//
//   const model_view model(asset);                      // asset.kind() == asset_kind::model
//   upload(model.indices(), model.texture_coordinates());
//   for (const model_surface& surface : model.surfaces())
//     draw(model.vertices(frame), surface.first_triangle * 3, surface.triangles * 3);
//
// The asset is one block of memory: model_counts, then the arrays in the order of the functions
// below, without padding. A view is a pointer into that block and must not outlive the asset; every
// function is a few additions. Any thread may read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "overture/base/api.hpp"
#include "overture/base/contracts.hpp"
#include "overture/decoders/decoder.hpp"

namespace overture {

struct model_counts {
  std::uint32_t frames = 0;
  std::uint32_t surfaces = 0;
  std::uint32_t shaders = 0;    // over all surfaces
  std::uint32_t tags = 0;       // per frame
  std::uint32_t vertices = 0;   // per frame, over all surfaces
  std::uint32_t triangles = 0;  // over all surfaces
};

// Padded with NULs; always ends with at least one.
using model_name = char[64];

struct model_surface {
  model_name name;
  std::uint32_t first_vertex;
  std::uint32_t vertices;
  std::uint32_t first_triangle;
  std::uint32_t triangles;
  std::uint32_t first_shader;
  std::uint32_t shaders;  // alternatives: the game picks one, by skin for example
};

struct model_shader {
  model_name name;  // path of an image or material, with or without extension
};

struct model_frame {
  float lower[3];  // bounding box
  float upper[3];
  float origin[3];  // bounding sphere
  float radius;
};

// An attachment point for another model, such as a weapon in a hand.
struct model_tag {
  model_name name;
  float origin[3];
  float axes[3][3];
};

struct model_vertex {
  float position[3];
  float normal[3];   // unit length
  float tangent[4];  // xyz: unit length, perpendicular to the normal, along increasing s;
                     // w: 1 or -1, with bitangent = cross(normal, tangent) * w
};

struct model_texture_coordinate {
  float s;
  float t;
};

class OVERTURE_API model_view {
 public:
  // `model` must be of kind asset_kind::model.
  template <bool Contracts = detail::contracts>
  explicit model_view(const decoded_asset& model) noexcept : block_(model.bytes().data()) {
    if constexpr (Contracts) {
      detail::expects(model.kind() == asset_kind::model,
                      "a model_view was made of an asset that is no model: look at kind() first");
    }
  }

  [[nodiscard]] const model_counts& counts() const noexcept {
    return *reinterpret_cast<const model_counts*>(block_);
  }
  [[nodiscard]] std::span<const model_surface> surfaces() const noexcept;
  [[nodiscard]] std::span<const model_shader> shaders() const noexcept;
  [[nodiscard]] std::span<const model_frame> frames() const noexcept;
  // Those of frame 0, then of frame 1, and so on.
  [[nodiscard]] std::span<const model_tag> tags() const noexcept;
  [[nodiscard]] std::span<const model_texture_coordinate> texture_coordinates() const noexcept;
  // Three per triangle, into the vertices of one frame.
  [[nodiscard]] std::span<const std::uint32_t> indices() const noexcept;
  // Those of frame 0, then of frame 1, and so on.
  [[nodiscard]] std::span<const model_vertex> vertices() const noexcept;
  // Those of one frame, which must be below counts().frames.
  template <bool Contracts = detail::contracts>
  [[nodiscard]] std::span<const model_vertex> vertices(std::uint32_t frame) const noexcept {
    if constexpr (Contracts) {
      detail::expects(frame < counts().frames,
                      "model_view::vertices() was called with a frame that is not below "
                      "counts().frames");
    }
    return vertices_of(frame);
  }
  // The size in bytes of the block of a model with these counts.
  [[nodiscard]] static constexpr std::uint64_t block_bytes(const model_counts& of) noexcept {
    return sizeof(model_counts) + std::uint64_t{of.surfaces} * sizeof(model_surface) +
           std::uint64_t{of.shaders} * sizeof(model_shader) +
           std::uint64_t{of.frames} * sizeof(model_frame) +
           std::uint64_t{of.frames} * of.tags * sizeof(model_tag) +
           std::uint64_t{of.vertices} * sizeof(model_texture_coordinate) +
           std::uint64_t{of.triangles} * 3 * sizeof(std::uint32_t) +
           std::uint64_t{of.frames} * of.vertices * sizeof(model_vertex);
  }

 private:
  [[nodiscard]] std::span<const model_vertex> vertices_of(std::uint32_t frame) const noexcept;

  const std::byte* block_;
};

}  // namespace overture

// SPDX-License-Identifier: Zlib
#include "overture/decoders/model.hpp"

namespace overture {

namespace {

template <class T>
std::span<const T> array(const void* at, std::size_t count) noexcept {
  static_assert(alignof(T) <= 4 && sizeof(T) % 4 == 0, "the arrays are packed without padding");
  return {static_cast<const T*>(at), count};
}

template <class T, class Before>
std::span<const T> after(std::span<const Before> before, std::size_t count) noexcept {
  return array<T>(before.data() + before.size(), count);
}

}  // namespace

std::span<const model_surface> model_view::surfaces() const noexcept {
  return array<model_surface>(block_ + sizeof(model_counts), counts().surfaces);
}

std::span<const model_shader> model_view::shaders() const noexcept {
  return after<model_shader>(surfaces(), counts().shaders);
}

std::span<const model_frame> model_view::frames() const noexcept {
  return after<model_frame>(shaders(), counts().frames);
}

std::span<const model_tag> model_view::tags() const noexcept {
  return after<model_tag>(frames(), std::size_t{counts().frames} * counts().tags);
}

std::span<const model_texture_coordinate> model_view::texture_coordinates() const noexcept {
  return after<model_texture_coordinate>(tags(), counts().vertices);
}

std::span<const std::uint32_t> model_view::indices() const noexcept {
  return after<std::uint32_t>(texture_coordinates(), std::size_t{counts().triangles} * 3);
}

std::span<const model_vertex> model_view::vertices() const noexcept {
  return after<model_vertex>(indices(), std::size_t{counts().frames} * counts().vertices);
}

std::span<const model_vertex> model_view::vertices_of(std::uint32_t frame) const noexcept {
  return vertices().subspan(std::size_t{frame} * counts().vertices, counts().vertices);
}

}  // namespace overture

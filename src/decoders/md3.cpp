// SPDX-License-Identifier: Zlib
//
// MD3 models (Quake III and relatives): vertices for each frame, normals unpacked, tangents
// computed.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "base/limit_text.hpp"
#include "base/little_endian.hpp"
#include "decoders/signature.hpp"
#include "decoders/table.hpp"
#include "decoders/tangents.hpp"
#include "overture/base/limits.hpp"
#include "overture/decoders/model.hpp"

namespace overture::decoders_detail {
using namespace base_detail;

namespace {

// Record sizes in the file.
constexpr std::uint64_t md3_header_bytes = 108;
constexpr std::uint64_t surface_bytes = 108;
constexpr std::uint64_t md3_frame_bytes = 56;
constexpr std::uint64_t tag_bytes = 112;
constexpr std::uint64_t shader_bytes = 68;
constexpr std::uint64_t triangle_bytes = 12;
constexpr std::uint64_t coordinate_bytes = 8;
constexpr std::uint64_t vertex_bytes = 8;
constexpr std::size_t name_bytes = 64;
constexpr std::uint32_t version_known = 15;
constexpr float position_unit = 1.0f / 64;

// A surface in the file, with its offsets checked.
struct md3_surface {
  const std::byte* record = nullptr;
  std::uint32_t shaders = 0;
  std::uint32_t vertices = 0;
  std::uint32_t triangles = 0;
  std::uint32_t first_vertex = 0;  // in the whole model
  std::uint32_t first_triangle = 0;
  const std::byte* triangle_data = nullptr;
  const std::byte* shader_data = nullptr;
  const std::byte* coordinate_data = nullptr;
  const std::byte* vertex_data = nullptr;
};

struct md3_file {
  model_counts counts;
  const std::byte* frame_data = nullptr;
  const std::byte* tag_data = nullptr;
  std::array<md3_surface, limits::model_surfaces_max> surfaces;
};

// All data of a surface must lie within it: surfaces that share bytes could make a small file
// decode to a huge model.
result<md3_surface> parse_surface(std::span<const std::byte> rest, std::uint32_t frames) noexcept {
  if (rest.size() < surface_bytes) return fail(errc::corrupt, "the MD3 file is truncated");
  const std::byte* const at = rest.data();
  md3_surface surface;
  surface.record = at;
  surface.shaders = load_u32(at + 76);
  surface.vertices = load_u32(at + 80);
  surface.triangles = load_u32(at + 84);
  const std::uint64_t bytes = load_u32(at + 104);
  if (bytes < surface_bytes || bytes > rest.size()) {
    return fail(errc::corrupt, "the MD3 file is truncated");
  }
  if (load_u32(at + 72) < frames) return fail(errc::corrupt, "MD3 surface with missing frames");
  const auto find = [&](std::size_t field, std::uint64_t count, std::uint64_t item_bytes,
                        const std::byte*& data) {
    const std::uint64_t offset = load_u32(at + field);
    data = at + std::min(offset, bytes);
    return fits(offset, count, item_bytes, bytes);
  };
  if (!find(88, surface.triangles, triangle_bytes, surface.triangle_data) ||
      !find(92, surface.shaders, shader_bytes, surface.shader_data) ||
      !find(96, surface.vertices, coordinate_bytes, surface.coordinate_data) ||
      !find(100, std::uint64_t{surface.vertices} * frames, vertex_bytes, surface.vertex_data)) {
    return fail(errc::corrupt, "MD3 surface data out of bounds");
  }
  return surface;
}

result<void> parse_md3(std::span<const std::byte> bytes, md3_file& file) noexcept {
  if (bytes.size() < md3_header_bytes || std::memcmp(bytes.data(), "IDP3", 4) != 0) {
    return fail(errc::corrupt, "not an MD3 file");
  }
  const std::byte* const at = bytes.data();
  if (load_u32(at + 4) != version_known) {
    return fail(errc::unsupported, "unsupported MD3 version");
  }
  model_counts& counts = file.counts;
  counts.frames = load_u32(at + 76);
  counts.tags = load_u32(at + 80);
  counts.surfaces = load_u32(at + 84);
  const std::uint64_t frames_offset = load_u32(at + 92);
  const std::uint64_t tags_offset = load_u32(at + 96);
  if (counts.frames == 0) return fail(errc::corrupt, "MD3 model without frames");
  if (counts.surfaces > limits::model_surfaces_max) {
    return fail(errc::limit, limit_text::model_surfaces);
  }
  if (!fits(frames_offset, counts.frames, md3_frame_bytes, bytes.size()) ||
      (counts.tags > 0 &&
       !fits(tags_offset, std::uint64_t{counts.frames} * counts.tags, tag_bytes, bytes.size()))) {
    return fail(errc::corrupt, "MD3 frames or tags out of bounds");
  }
  file.frame_data = at + frames_offset;
  file.tag_data = counts.tags > 0 ? at + tags_offset : at;

  std::uint64_t offset = load_u32(at + 100);
  for (std::uint32_t i = 0; i < counts.surfaces; ++i) {
    if (offset > bytes.size()) return fail(errc::corrupt, "MD3 surface out of bounds");
    const result<md3_surface> surface = parse_surface(bytes.subspan(offset), counts.frames);
    if (!surface)
      return tl::unexpected<error>(
          error{surface.error().code, 0, surface.error().reason, {}, offset});
    file.surfaces[i] = *surface;
    file.surfaces[i].first_vertex = counts.vertices;
    file.surfaces[i].first_triangle = counts.triangles;
    counts.vertices += surface->vertices;
    counts.triangles += surface->triangles;
    counts.shaders += surface->shaders;
    offset += load_u32(surface->record + 104);
  }
  return {};
}

result<void> check_triangles(std::span<const std::byte> bytes, const md3_file& file) noexcept {
  for (const md3_surface& surface : std::span(file.surfaces).first(file.counts.surfaces)) {
    for (std::uint64_t i = 0; i < std::uint64_t{surface.triangles} * 3; ++i) {
      if (load_u32(surface.triangle_data + i * 4) >= surface.vertices) {
        return fail(errc::corrupt, "MD3 triangle with an invalid vertex index", {},
                    static_cast<std::uint64_t>(surface.record - bytes.data()));
      }
    }
  }
  return {};
}

void copy_name(const std::byte* from, model_name& to) noexcept {
  std::memset(to, 0, sizeof to);
  std::memcpy(to, from, strnlen(reinterpret_cast<const char*>(from), name_bytes - 1));
}

void copy_floats(const std::byte* from, std::span<float> to) noexcept {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] = load_f32(from + i * 4);
}

void copy_frames_and_tags(const md3_file& file, const model_view& model) noexcept {
  model_frame* frame = writable(model.frames());
  for (std::uint32_t i = 0; i < file.counts.frames; ++i, ++frame) {
    const std::byte* const from = file.frame_data + i * md3_frame_bytes;
    copy_floats(from, frame->lower);
    copy_floats(from + 12, frame->upper);
    copy_floats(from + 24, frame->origin);
    frame->radius = load_f32(from + 36);
  }
  model_tag* tag = writable(model.tags());
  for (std::uint64_t i = 0; i < model.tags().size(); ++i, ++tag) {
    const std::byte* const from = file.tag_data + i * tag_bytes;
    copy_name(from, tag->name);
    copy_floats(from + 64, tag->origin);
    for (std::size_t axis = 0; axis < 3; ++axis)
      copy_floats(from + 76 + axis * 12, tag->axes[axis]);
  }
}

// Everything but the vertices.
void copy_surfaces(const md3_file& file, const model_view& model) noexcept {
  model_surface* to = writable(model.surfaces());
  model_shader* shader = writable(model.shaders());
  std::uint32_t first_shader = 0;
  for (std::uint32_t i = 0; i < file.counts.surfaces; ++i, ++to) {
    const md3_surface& from = file.surfaces[i];
    copy_name(from.record + 4, to->name);
    to->first_vertex = from.first_vertex;
    to->vertices = from.vertices;
    to->first_triangle = from.first_triangle;
    to->triangles = from.triangles;
    to->first_shader = first_shader;
    to->shaders = from.shaders;
    first_shader += from.shaders;
    for (std::uint32_t s = 0; s < from.shaders; ++s, ++shader) {
      copy_name(from.shader_data + s * shader_bytes, shader->name);
    }
    model_texture_coordinate* const coordinates =
        writable(model.texture_coordinates()) + from.first_vertex;
    for (std::uint32_t v = 0; v < from.vertices; ++v) {
      coordinates[v] = {load_f32(from.coordinate_data + v * coordinate_bytes),
                        load_f32(from.coordinate_data + v * coordinate_bytes + 4)};
    }
    std::uint32_t* const indices = writable(model.indices()) + std::size_t{from.first_triangle} * 3;
    for (std::size_t c = 0; c < std::size_t{from.triangles} * 3; ++c) {
      indices[c] = from.first_vertex + load_u32(from.triangle_data + c * 4);
    }
  }
}

// Normals are two angles of 8 bits each: from the z axis, and around it.
vec3 unpack_normal(std::uint32_t packed) noexcept {
  static const std::array<float, 256> sine = [] {
    std::array<float, 256> made{};
    for (std::size_t i = 0; i < made.size(); ++i) {
      made[i] = static_cast<float>(std::sin(static_cast<double>(i) * (3.141592653589793 / 128)));
    }
    return made;
  }();
  const std::uint32_t down = packed & 255;
  const std::uint32_t around = packed >> 8;
  const auto cosine = [](std::uint32_t angle) { return sine[(angle + 64) & 255]; };
  return {cosine(around) * sine[down], sine[around] * sine[down], cosine(down)};
}

// Adds a triangle's directions of increasing s and t to its corners: s to the tangent, t to the
// normal's place, which is free until finish_vertex() and saves a buffer.
void add_triangle(model_vertex* const (&corners)[3],
                  const model_texture_coordinate* const (&coordinates)[3]) noexcept {
  const texture_axes axes = axes_of({corners[0], corners[1], corners[2]}, coordinates);
  if (!axes.known) return;
  for (model_vertex* const corner : corners) {
    add(corner->tangent, axes.along_s);
    add(corner->normal, axes.along_t);
  }
}

// Turns the sums of add_triangle() into normal and tangent, and the handedness of the bitangent.
void finish_vertex(model_vertex& vertex, std::uint32_t packed_normal) noexcept {
  const vec3 along_s = load(vertex.tangent);
  const vec3 along_t = load(vertex.normal);
  const vec3 normal = unpack_normal(packed_normal);
  store(vertex.normal, normal);
  store(vertex.tangent, tangent_of(normal, along_s));
  vertex.tangent[3] = dot(cross(normal, along_s), along_t) < 0 ? -1.0f : 1.0f;
}

void compute_pose(const md3_surface& from, std::uint32_t frame, const model_view& model) noexcept {
  const std::byte* const packed =
      from.vertex_data + std::uint64_t{frame} * from.vertices * vertex_bytes;
  model_vertex* const vertices = writable(model.vertices(frame)) + from.first_vertex;
  for (std::uint32_t v = 0; v < from.vertices; ++v) {
    const std::byte* const at = packed + v * vertex_bytes;
    vertices[v] = {};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      vertices[v].position[axis] = static_cast<float>(load_i16(at + axis * 2)) * position_unit;
    }
  }
  const model_texture_coordinate* const coordinates =
      model.texture_coordinates().data() + from.first_vertex;
  for (std::uint32_t t = 0; t < from.triangles; ++t) {
    const std::byte* const corner = from.triangle_data + t * triangle_bytes;
    const std::uint32_t a = load_u32(corner);
    const std::uint32_t b = load_u32(corner + 4);
    const std::uint32_t c = load_u32(corner + 8);
    add_triangle({vertices + a, vertices + b, vertices + c},
                 {coordinates + a, coordinates + b, coordinates + c});
  }
  for (std::uint32_t v = 0; v < from.vertices; ++v) {
    finish_vertex(vertices[v], load_u16(packed + v * vertex_bytes + 6));
  }
}

// Poses of a surface are independent, so any thread may compute them and the results are identical.
// A piece is a run of frames of one surface: large enough to be worth handing to another thread,
// small enough to balance.
class pose_pieces {
 public:
  explicit pose_pieces(const md3_file& file) noexcept : file_(file) {
    for (std::uint32_t i = 0; i < file.counts.surfaces; ++i) count_ += pieces_of(file.surfaces[i]);
  }
  [[nodiscard]] std::size_t count() const noexcept { return count_; }
  void compute(std::size_t piece, const model_view& model) const noexcept {
    const md3_surface* surface = file_.surfaces.data();
    for (; piece >= pieces_of(*surface); ++surface) piece -= pieces_of(*surface);
    const std::uint64_t first = piece * frames_of_piece(*surface);
    const std::uint64_t last =
        std::min<std::uint64_t>(first + frames_of_piece(*surface), file_.counts.frames);
    for (std::uint64_t frame = first; frame < last; ++frame) {
      compute_pose(*surface, static_cast<std::uint32_t>(frame), model);
    }
  }

 private:
  static constexpr std::uint64_t vertices_wanted = 16384;

  static std::uint64_t frames_of_piece(const md3_surface& surface) noexcept {
    return vertices_wanted / (std::uint64_t{surface.vertices} + 1) + 1;
  }
  [[nodiscard]] std::size_t pieces_of(const md3_surface& surface) const noexcept {
    return (file_.counts.frames - 1) / frames_of_piece(surface) + 1;
  }

  const md3_file& file_;
  std::size_t count_ = 0;
};

class md3 final : public decoder {
 public:
  const char* name() const noexcept override { return "md3"; }

  bool accepts(std::string_view path, std::span<const std::byte> bytes) const noexcept override {
    return is_file_of(file_format::md3, path, bytes);
  }

  result<decoded_asset> decode(std::span<const std::byte> bytes, allocator& memory,
                               parallel_runner& workers) const noexcept override {
    md3_file file;
    if (const result<void> parsed = parse_md3(bytes, file); !parsed) {
      return tl::unexpected<error>(parsed.error());
    }
    if (const result<void> checked = check_triangles(bytes, file); !checked) {
      return tl::unexpected<error>(checked.error());
    }
    const model_counts& counts = file.counts;
    const std::uint64_t size = model_view::block_bytes(counts);
    if (size > limits::model_bytes_max) {
      return fail(errc::limit, limit_text::model_bytes);
    }
    result<decoded_asset> model = decoded_asset::make(asset_kind::model, size, memory);
    if (!model) return model;
    model->frames = counts.frames;
    model->vertices = counts.vertices;
    model->triangles = counts.triangles;
    std::memcpy(model->bytes().data(), &counts, sizeof counts);
    const model_view view(*model);
    copy_frames_and_tags(file, view);
    copy_surfaces(file, view);

    const pose_pieces pieces(file);
    if (std::uint64_t{counts.frames} * counts.vertices < split_from) {
      for (std::size_t i = 0; i < pieces.count(); ++i) pieces.compute(i, view);
    } else {
      workers.run(pieces.count(), [&](std::size_t i) noexcept { pieces.compute(i, view); });
    }
    return model;
  }

  std::uint64_t memory_needed(std::span<const std::byte> bytes) const noexcept override {
    md3_file file;
    if (!parse_md3(bytes, file)) return 0;
    const std::uint64_t size = model_view::block_bytes(file.counts);
    return size <= limits::model_bytes_max ? size : 0;
  }

 private:
  // Vertices over all frames; with fewer, another thread would start too late to help.
  static constexpr std::uint64_t split_from = 32768;
};

}  // namespace

const decoder& md3_decoder() noexcept {
  static const md3 instance;
  return instance;
}

}  // namespace overture::decoders_detail

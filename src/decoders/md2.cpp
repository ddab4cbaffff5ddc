// SPDX-License-Identifier: Zlib
//
// MD2 models (Quake II and relatives): one surface, vertices for each frame. A vertex of the file
// has one position and several texture coordinates; each pair that a triangle uses becomes a
// vertex.
//
//   "IDP2", u32 version (8), u32 texture's width, height, u32 bytes of a frame, u32 numbers of
//   skins, positions, coordinates, triangles, words of drawing commands, frames; u32 offsets of
//   skins, coordinates, triangles, frames, commands, end
//     skin: char name[64]; coordinate: i16 s, i16 t, in pixels
//     triangle: u16 positions[3], u16 coordinates[3]
//     frame: f32 scale[3], f32 origin[3], char name[16]; for each position u8 steps[3], u8 normal
//
// A normal is the number of one of 162 directions. They were rounded from what the triangles say,
// and are computed from those again.
#include <algorithm>
#include <cstring>

#include "base/limit_text.hpp"
#include "base/little_endian.hpp"
#include "base/vec.hpp"
#include "decoders/signature.hpp"
#include "decoders/table.hpp"
#include "decoders/tangents.hpp"
#include "overture/base/limits.hpp"
#include "overture/decoders/model.hpp"

namespace overture::decoders_detail {
using namespace base_detail;

namespace {

constexpr std::uint64_t md2_header_bytes = 68;
constexpr std::uint64_t skin_bytes = 64;
constexpr std::uint64_t md2_triangle_bytes = 12;
constexpr std::uint64_t md2_coordinate_bytes = 4;
constexpr std::uint64_t md2_frame_bytes = 40;  // in front of the positions
constexpr std::uint64_t position_bytes = 4;
constexpr std::uint32_t md2_version = 8;

// What the file has, with its offsets checked.
struct md2_file {
  std::uint32_t skins = 0;
  std::uint32_t positions = 0;
  std::uint32_t coordinates = 0;
  std::uint32_t triangles = 0;
  std::uint32_t frames = 0;
  float width = 1;
  float height = 1;
  std::uint64_t frame_bytes = 0;
  const std::byte* skin_data = nullptr;
  const std::byte* coordinate_data = nullptr;
  const std::byte* triangle_data = nullptr;
  const std::byte* frame_data = nullptr;

  [[nodiscard]] std::uint32_t position_of(std::uint64_t corner) const noexcept {
    return load_u16(triangle_data + corner / 3 * md2_triangle_bytes + corner % 3 * 2);
  }
  [[nodiscard]] std::uint32_t coordinate_of(std::uint64_t corner) const noexcept {
    return load_u16(triangle_data + corner / 3 * md2_triangle_bytes + 6 + corner % 3 * 2);
  }
};

result<md2_file> parse_md2(std::span<const std::byte> bytes) noexcept {
  if (bytes.size() < md2_header_bytes || std::memcmp(bytes.data(), "IDP2", 4) != 0) {
    return fail(errc::corrupt, "not an MD2 file");
  }
  const std::byte* const at = bytes.data();
  if (load_u32(at + 4) != md2_version) return fail(errc::unsupported, "unsupported MD2 version");
  md2_file file;
  file.width = static_cast<float>(std::max(load_u32(at + 8), 1u));
  file.height = static_cast<float>(std::max(load_u32(at + 12), 1u));
  file.frame_bytes = load_u32(at + 16);
  file.skins = load_u32(at + 20);
  file.positions = load_u32(at + 24);
  file.coordinates = load_u32(at + 28);
  file.triangles = load_u32(at + 32);
  file.frames = load_u32(at + 40);
  if (file.frames == 0) return fail(errc::corrupt, "MD2 model without frames");
  const auto find = [&](std::size_t field, std::uint64_t count, std::uint64_t item_bytes,
                        const std::byte*& data) {
    const std::uint64_t offset = load_u32(at + field);
    data = at + std::min<std::uint64_t>(offset, bytes.size());
    return count == 0 || fits(offset, count, item_bytes, bytes.size());
  };
  const std::uint64_t least = md2_frame_bytes + std::uint64_t{file.positions} * position_bytes;
  if (!find(44, file.skins, skin_bytes, file.skin_data) ||
      !find(48, file.coordinates, md2_coordinate_bytes, file.coordinate_data) ||
      !find(52, file.triangles, md2_triangle_bytes, file.triangle_data) ||
      !find(56, file.frames, file.frame_bytes, file.frame_data) || file.frame_bytes < least) {
    return fail(errc::corrupt, "MD2 data out of bounds");
  }
  return file;
}

result<void> check_triangles(const md2_file& file) noexcept {
  for (std::uint64_t i = 0; i < std::uint64_t{file.triangles} * 3; ++i) {
    if (file.position_of(i) >= file.positions || file.coordinate_of(i) >= file.coordinates) {
      return fail(errc::corrupt, "MD2 triangle with an invalid vertex index");
    }
  }
  return {};
}

// A vertex of the model.
struct md2_vertex {
  std::uint32_t position = 0;  // in the file
  std::uint32_t coordinate = 0;
  std::uint32_t first = 0;  // the first vertex of the same position, where normals are summed
};

struct corner_key {
  std::uint32_t key;  // position and coordinate
  std::uint32_t corner;
};

struct md2_vertices {
  explicit md2_vertices(allocator& memory) noexcept
      : list(memory, memory_tag::decode), of_corner(memory, memory_tag::decode) {}
  // False if out of memory.
  [[nodiscard]] bool find(const md2_file& file) noexcept;
  // What find() takes at most.
  [[nodiscard]] static std::uint64_t bytes_for(std::uint64_t corners,
                                               std::uint64_t vertices) noexcept;

  vec<md2_vertex> list;  // by position, then by coordinate
  vec<std::uint32_t> of_corner;
};

std::uint64_t md2_vertices::bytes_for(std::uint64_t corners, std::uint64_t vertices) noexcept {
  // A list that grows is copied to one of twice its capacity, which begins with 8.
  return corners * (sizeof(corner_key) + sizeof(std::uint32_t)) +
         (vertices * 3 + 8) * sizeof(md2_vertex);
}

bool md2_vertices::find(const md2_file& file) noexcept {
  const std::size_t corners = std::size_t{file.triangles} * 3;
  vec<corner_key> sorted(list.memory(), memory_tag::decode);
  if (!sorted.resize_for_overwrite(corners) || !of_corner.resize_for_overwrite(corners))
    return false;
  for (std::uint32_t i = 0; i < corners; ++i) {
    sorted[i] = {file.position_of(i) << 16 | file.coordinate_of(i), i};
  }
  std::sort(sorted.begin(), sorted.end(),
            [](const corner_key& a, const corner_key& b) { return a.key < b.key; });
  for (std::size_t i = 0; i < corners; ++i) {
    const std::uint32_t key = sorted[i].key;
    if (i == 0 || key != sorted[i - 1].key) {
      const auto number = static_cast<std::uint32_t>(list.size());
      const bool same = !list.empty() && list.back().position == key >> 16;
      const std::uint32_t first = same ? list.back().first : number;
      if (!list.push_back({key >> 16, key & 0xFFFF, first})) return false;
    }
    of_corner[sorted[i].corner] = static_cast<std::uint32_t>(list.size() - 1);
  }
  return true;
}

class md2_builder {
 public:
  md2_builder(const md2_file& file, const md2_vertices& vertices, const model_view& model) noexcept
      : file_(file), vertices_(vertices), model_(model) {}

  // Everything but the frames.
  void build_surface() const noexcept;
  void build_frame(std::uint32_t frame) const noexcept;

 private:
  void place(std::uint32_t frame, model_vertex* to) const noexcept;
  void bound(const model_vertex* vertices, model_frame& frame) const noexcept;
  void add_normals(model_vertex* to) const noexcept;
  void add_tangents(model_vertex* to) const noexcept;

  const md2_file& file_;
  const md2_vertices& vertices_;
  const model_view& model_;
};

void md2_builder::build_surface() const noexcept {
  model_surface& surface = *writable(model_.surfaces());
  surface = {};
  surface.vertices = static_cast<std::uint32_t>(vertices_.list.size());
  surface.triangles = file_.triangles;
  surface.shaders = file_.skins;
  model_shader* const shaders = writable(model_.shaders());
  for (std::size_t i = 0; i < file_.skins; ++i) {
    const auto* const name = reinterpret_cast<const char*>(file_.skin_data + i * skin_bytes);
    shaders[i] = {};
    std::memcpy(shaders[i].name, name, strnlen(name, sizeof(model_name) - 1));
  }
  model_texture_coordinate* const coordinates = writable(model_.texture_coordinates());
  for (std::size_t i = 0; i < vertices_.list.size(); ++i) {
    const std::byte* const from =
        file_.coordinate_data + vertices_.list[i].coordinate * md2_coordinate_bytes;
    coordinates[i] = {static_cast<float>(load_i16(from)) / file_.width,
                      static_cast<float>(load_i16(from + 2)) / file_.height};
  }
  std::uint32_t* const indices = writable(model_.indices());
  std::copy(vertices_.of_corner.begin(), vertices_.of_corner.end(), indices);
}

void md2_builder::build_frame(std::uint32_t frame) const noexcept {
  model_vertex* const vertices = writable(model_.vertices(frame));
  place(frame, vertices);
  bound(vertices, writable(model_.frames())[frame]);
  add_normals(vertices);
  add_tangents(vertices);
}

void md2_builder::place(std::uint32_t frame, model_vertex* to) const noexcept {
  const std::byte* const from = file_.frame_data + frame * file_.frame_bytes;
  for (std::size_t v = 0; v < vertices_.list.size(); ++v) {
    const std::byte* const steps =
        from + md2_frame_bytes + vertices_.list[v].position * position_bytes;
    to[v] = {};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      to[v].position[axis] = static_cast<float>(load_u8(steps + axis)) * load_f32(from + axis * 4) +
                             load_f32(from + 12 + axis * 4);
    }
  }
}

void md2_builder::bound(const model_vertex* vertices, model_frame& frame) const noexcept {
  frame = {};
  const std::size_t count = vertices_.list.size();
  if (count == 0) return;
  std::copy_n(vertices[0].position, 3, frame.lower);
  std::copy_n(vertices[0].position, 3, frame.upper);
  for (std::size_t v = 1; v < count; ++v) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      frame.lower[axis] = std::min(frame.lower[axis], vertices[v].position[axis]);
      frame.upper[axis] = std::max(frame.upper[axis], vertices[v].position[axis]);
    }
  }
  const vec3 middle = (load(frame.lower) + load(frame.upper)) * 0.5f;
  store(frame.origin, middle);
  for (std::size_t v = 0; v < count; ++v) {
    const vec3 away = load(vertices[v].position) - middle;
    frame.radius = std::max(frame.radius, std::sqrt(dot(away, away)));
  }
}

// Each triangle counts by its area. Its corners go clockwise, seen from where the normal points.
void md2_builder::add_normals(model_vertex* to) const noexcept {
  const std::uint32_t* const corners = vertices_.of_corner.begin();
  for (std::size_t t = 0; t < file_.triangles; ++t) {
    const std::uint32_t* const of = corners + t * 3;
    const vec3 origin = load(to[of[0]].position);
    const vec3 normal = cross(load(to[of[2]].position) - origin, load(to[of[1]].position) - origin);
    for (std::size_t i = 0; i < 3; ++i) add(to[vertices_.list[of[i]].first].normal, normal);
  }
  for (std::size_t v = 0; v < vertices_.list.size(); ++v) {
    const std::uint32_t first = vertices_.list[v].first;
    if (first != v) {
      std::copy_n(to[first].normal, 3, to[v].normal);
      continue;
    }
    const vec3 sum = load(to[v].normal);
    const float length = std::sqrt(dot(sum, sum));
    const bool usable = length > 1e-12f && std::isfinite(length);
    store(to[v].normal, usable ? sum * (1 / length) : vec3{0, 0, 1});
  }
}

void md2_builder::add_tangents(model_vertex* to) const noexcept {
  const std::uint32_t* const corners = vertices_.of_corner.begin();
  const model_texture_coordinate* const coordinates = model_.texture_coordinates().data();
  for (std::size_t t = 0; t < file_.triangles; ++t) {
    const std::uint32_t* const of = corners + t * 3;
    const texture_axes axes =
        axes_of({to + of[0], to + of[1], to + of[2]},
                {coordinates + of[0], coordinates + of[1], coordinates + of[2]});
    if (!axes.known) continue;
    for (std::size_t i = 0; i < 3; ++i) {
      model_vertex& corner = to[of[i]];
      add(corner.tangent, axes.along_s);
      corner.tangent[3] += dot(cross(load(corner.normal), axes.along_s), axes.along_t);
    }
  }
  for (std::size_t v = 0; v < vertices_.list.size(); ++v) {
    store(to[v].tangent, tangent_of(load(to[v].normal), load(to[v].tangent)));
    to[v].tangent[3] = to[v].tangent[3] < 0 ? -1.0f : 1.0f;
  }
}

class md2 final : public decoder {
 public:
  const char* name() const noexcept override { return "md2"; }

  bool accepts(std::string_view path, std::span<const std::byte> bytes) const noexcept override {
    return is_file_of(file_format::md2, path, bytes);
  }

  result<decoded_asset> decode(std::span<const std::byte> bytes, allocator& memory,
                               parallel_runner& workers) const noexcept override {
    const result<md2_file> file = parse_md2(bytes);
    if (!file) return tl::unexpected<error>(file.error());
    if (const result<void> checked = check_triangles(*file); !checked) {
      return tl::unexpected<error>(checked.error());
    }
    md2_vertices vertices(memory);
    if (!vertices.find(*file)) {
      return fail(errc::out_of_memory, "out of memory for the vertices of the MD2 file");
    }
    const model_counts counts{.frames = file->frames,
                              .surfaces = 1,
                              .shaders = file->skins,
                              .vertices = static_cast<std::uint32_t>(vertices.list.size()),
                              .triangles = file->triangles};
    const std::uint64_t size = model_view::block_bytes(counts);
    if (size > limits::model_bytes_max) return fail(errc::limit, limit_text::model_bytes);
    if (size > limits::model_bytes_always &&
        size / limits::model_bytes_per_byte_max > bytes.size()) {
      return fail(errc::limit, limit_text::model_ratio);
    }
    result<decoded_asset> model = decoded_asset::make(asset_kind::model, size, memory);
    if (!model) return model;
    model->frames = counts.frames;
    model->vertices = counts.vertices;
    model->triangles = counts.triangles;
    std::memcpy(model->bytes().data(), &counts, sizeof counts);
    const model_view view(*model);
    const md2_builder builder(*file, vertices, view);
    builder.build_surface();
    const std::size_t run = frames_wanted / (std::size_t{counts.vertices} + 1) + 1;
    const std::size_t runs = (counts.frames - 1) / run + 1;
    const auto build = [&](std::size_t i) noexcept {
      const std::size_t end = std::min<std::size_t>((i + 1) * run, counts.frames);
      for (std::size_t frame = i * run; frame < end; ++frame) {
        builder.build_frame(static_cast<std::uint32_t>(frame));
      }
    };
    if (runs == 1) {
      build(0);
    } else {
      workers.run(runs, build);
    }
    return model;
  }

  // As if no two corners shared a vertex: which do is seen only after sorting them.
  std::uint64_t memory_needed(std::span<const std::byte> bytes) const noexcept override {
    const result<md2_file> file = parse_md2(bytes);
    if (!file) return 0;
    const std::uint64_t corners = std::uint64_t{file->triangles} * 3;
    const std::uint64_t vertices =
        std::min(corners, std::uint64_t{file->positions} * file->coordinates);
    const std::uint64_t model =
        model_view::block_bytes({.frames = file->frames,
                                 .surfaces = 1,
                                 .shaders = file->skins,
                                 .vertices = static_cast<std::uint32_t>(vertices),
                                 .triangles = file->triangles});
    const std::uint64_t most = std::min<std::uint64_t>(
        limits::model_bytes_max,
        std::max<std::uint64_t>(limits::model_bytes_always,
                                limits::model_bytes_per_byte_max * (bytes.size() + 1)));
    return std::min(model, most) + md2_vertices::bytes_for(corners, vertices);
  }

 private:
  // The fewest vertices worth a thread of their own: less work is done before one starts.
  static constexpr std::size_t frames_wanted = 16384;
};

}  // namespace

const decoder& md2_decoder() noexcept {
  static const md2 instance;
  return instance;
}

}  // namespace overture::decoders_detail

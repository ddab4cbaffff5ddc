// SPDX-License-Identifier: Zlib
#include "gltf.hpp"

#include <tiny_gltf.h>

#include <charconv>
#include <cstdio>
#include <cstring>
#include <exception>
#include <utility>

#include "overture/loaders/json_loader.hpp"

namespace gltf {

using namespace overture;

namespace {

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}
bool is_glb(std::span<const std::byte> bytes) {
  return text_of(bytes).starts_with("glTF");
}

// The JSON in a .gltf or .glb.
result<std::string_view> json_of(std::span<const std::byte> bytes) {
  if (!is_glb(bytes)) return text_of(bytes);
  const auto number_at = [&](std::size_t at) {
    std::size_t value = 0;
    for (std::size_t i = 4; i-- > 0;) value = value << 8 | std::to_integer<unsigned>(bytes[at + i]);
    return value;
  };
  constexpr std::size_t header_bytes = 20;
  if (bytes.size() < header_bytes || number_at(8) > bytes.size()) {
    return fail(errc::truncated, "the GLB is cut off: its header says that it is longer");
  }
  if (number_at(12) > bytes.size() - header_bytes) {
    return fail(errc::corrupt, "the JSON of the GLB is longer than the file");
  }
  return text_of(bytes).substr(header_bytes, number_at(12));
}

// The path that a URI means in a file with this path. One that leads out of the tree is left as it
// is: a bad path.
std::string path_beside(std::string_view path, std::string_view uri) {
  std::string made(path.substr(0, path.find_last_of('/') + 1));  // npos + 1 is 0
  std::string decoded;
  for (std::size_t i = 0; i < uri.size(); ++i) {
    unsigned char coded = 0;
    const char* const digits = uri.data() + i + 1;
    const bool is_coded = uri[i] == '%' && i + 2 < uri.size() &&
                          std::from_chars(digits, digits + 2, coded, 16).ptr == digits + 2;
    decoded += is_coded ? static_cast<char>(coded) : uri[i];
    if (is_coded) i += 2;
  }
  for (std::string_view rest = decoded; !rest.empty();) {
    const std::string_view name = rest.substr(0, rest.find('/'));
    rest.remove_prefix(std::min(name.size() + 1, rest.size()));
    if (name == ".") continue;
    if (name == ".." && !made.empty() && !made.ends_with("../")) {
      made.pop_back();
      made.erase(made.find_last_of('/') + 1);
    } else {
      made.append(name).append(rest.empty() ? "" : "/");
    }
  }
  return made;
}

// What a glTF says of other files; the reader skips the rest.
struct named_file {
  std::string uri;
};
struct named_files {
  std::vector<named_file> buffers;
  std::vector<named_file> images;
};

// Adds a member for each URI; false if one of them is the glTF itself.
template <class To>
bool add_files(std::string_view path, const std::vector<named_file>& from, std::vector<To>& to) {
  for (const named_file& each : from) {
    const bool is_inside = each.uri.empty() || tinygltf::IsDataURI(each.uri);
    to.emplace_back().path = is_inside ? "" : path_beside(path, each.uri);
    if (to.back().path == path) return false;
  }
  return true;
}

// The index of "mesh7"; -1 if there is no such one.
template <class List>
int index_of(std::string_view part, std::string_view kind, const List& list) {
  std::size_t index = 0;
  if (!part.starts_with(kind)) return -1;
  const char* const end = part.data() + part.size();
  const auto read = std::from_chars(part.data() + kind.size(), end, index);
  if (read.ec != std::errc{} || read.ptr != end || index >= list.size()) return -1;
  return static_cast<int>(index);
}

template <class List>
const typename List::value_type* at(const List& list, int index) {
  return index >= 0 && static_cast<std::size_t>(index) < list.size()
             ? &list[static_cast<std::size_t>(index)]
             : nullptr;
}

result<std::shared_ptr<const loaders::image>> decoded(std::span<const std::byte> bytes) {
  result<loaders::image> made = loaders::decode_image({}, bytes, {.mips = true});
  if (!made) return tl::unexpected<error>(made.error());
  return std::make_shared<const loaders::image>(std::move(*made));
}

// What tinygltf asks for while it reads.
struct reading {
  file& of;
  std::size_t next = 0;  // buffer
  error failure = {.code = errc::corrupt, .reason = "tinygltf cannot read this glTF"};
};

bool exists(const std::string& /*path*/, void* /*of*/) {
  return true;
}
std::string same(const std::string& path, void* /*of*/) {
  return path;
}
bool read_buffer(std::vector<unsigned char>* to, std::string* /*why*/, const std::string& /*path*/,
                 void* of) {
  reading& now = *static_cast<reading*>(of);  // it asks in the order of the file
  const auto& buffers = now.of.buffers;
  while (now.next < buffers.size() && !buffers[now.next].file.valid()) ++now.next;
  if (now.next == buffers.size()) return false;
  const auto bytes = buffers[now.next++].file->bytes();
  to->resize(bytes.size());
  if (!bytes.empty()) std::memcpy(to->data(), bytes.data(), bytes.size());
  return true;
}
// Images in a view are left for later: tinygltf does not check where views are.
bool read_image(tinygltf::Image* image, int index, std::string* /*why*/, std::string* /*warning*/,
                int /*width*/, int /*height*/, const unsigned char* bytes, int size, void* of) {
  if (image->bufferView >= 0) return true;
  reading& now = *static_cast<reading*>(of);
  if (at(now.of.pictures, index) == nullptr) return false;
  auto made = decoded({reinterpret_cast<const std::byte*>(bytes), static_cast<std::size_t>(size)});
  if (!made) {
    now.failure = made.error();
    return false;
  }
  now.of.pictures[static_cast<std::size_t>(index)].inside = std::move(*made);
  return true;
}

// Null, or a model. `problem` is what tinygltf says.
std::unique_ptr<tinygltf::Model> read_model(std::span<const std::byte> source, reading& now,
                                            std::string& problem) {
  auto model = std::make_unique<tinygltf::Model>();
  tinygltf::TinyGLTF reader;
  reader.SetFsCallbacks({exists, same, read_buffer, nullptr, &now});
  reader.SetImageLoader(read_image, &now);
  std::string warning;
  const auto size = static_cast<unsigned>(source.size());
  const auto* const text = reinterpret_cast<const char*>(source.data());
  bool is_read = false;
  try {
    is_read = is_glb(source)
                  ? reader.LoadBinaryFromMemory(
                        model.get(), &problem, &warning,
                        reinterpret_cast<const unsigned char*>(source.data()), size)
                  : reader.LoadASCIIFromString(model.get(), &problem, &warning, text, size, "");
  } catch (const std::exception& thrown) {  // of an empty image, for example
    problem += thrown.what();
  }
  problem += warning;
  return is_read ? std::move(model) : nullptr;
}

}  // namespace

struct file::elements {
  const std::byte* first = nullptr;
  std::size_t count = 0;
  std::size_t stride = 0;
  int component = 0;
  int type = 0;
};

file::file() = default;
file::file(file&& other) noexcept = default;
file& file::operator=(file&& other) noexcept = default;
file::~file() = default;

result<file> file::open(std::span<const std::byte> bytes, std::string_view path) {
  const result<std::string_view> json = json_of(bytes);
  if (!json) return tl::unexpected<error>(json.error());
  named_files named;
  if (const auto read = loaders::read_json(*json, named); !read) {
    return tl::unexpected<error>(read.error());
  }
  file made;
  if (!add_files(path, named.buffers, made.buffers)) {
    return fail(errc::invalid, "the glTF names itself as a buffer");
  }
  if (!add_files(path, named.images, made.pictures)) {
    return fail(errc::invalid, "the glTF names itself as an image");
  }
  made.source_.assign(bytes.begin(), bytes.end());
  return made;
}

result<void> file::parse(std::string_view path) {
  reading now{*this};
  std::string problem;
  auto model = read_model(source_, now, problem);
  if (!problem.empty()) {
    std::fprintf(stderr, "%.*s: %s\n", static_cast<int>(path.size()), path.data(), problem.c_str());
  }
  if (model == nullptr) return tl::unexpected<error>(now.failure);
  // The buffers that Overture keeps need no copy.
  for (std::size_t i = 0; i < model->buffers.size() && i < buffers.size(); ++i) {
    if (buffers[i].file.valid()) model->buffers[i].data = {};
  }
  source_ = {};
  model_ = std::move(model);
  return decode_pictures();
}

// Those in a view.
result<void> file::decode_pictures() {
  for (std::size_t i = 0; i < pictures.size() && i < model_->images.size(); ++i) {
    const int view = model_->images[i].bufferView;
    if (view < 0) continue;
    const result<std::span<const std::byte>> bytes = view_of(view);
    if (!bytes) return tl::unexpected<error>(bytes.error());
    auto made = decoded(*bytes);
    if (!made) return tl::unexpected<error>(made.error());
    pictures[i].inside = std::move(*made);
  }
  return {};
}

std::vector<std::string> file::meshes_to_draw() const {
  std::vector<std::string> made;
  for (const tinygltf::Node& node : model_->nodes) {
    if (node.mesh >= 0) made.push_back("mesh" + std::to_string(node.mesh));
  }
  return made;
}
std::vector<std::string> file::materials() const {
  std::vector<std::string> made;
  made.reserve(model_->materials.size());
  for (std::size_t i = 0; i < model_->materials.size(); ++i) {
    made.push_back("material" + std::to_string(i));
  }
  return made;
}

// The bytes of a view, which lie in its buffer.
result<std::span<const std::byte>> file::view_of(int index) const {
  const tinygltf::BufferView* const view = at(model_->bufferViews, index);
  const tinygltf::Buffer* const buffer =
      view == nullptr ? nullptr : at(model_->buffers, view->buffer);
  if (buffer == nullptr) return fail(errc::corrupt, "a view or buffer does not exist");
  const gltf::buffer* const loaded = at(buffers, view->buffer);
  const std::span<const std::byte> bytes = loaded != nullptr && loaded->file.valid()
                                               ? loaded->file->bytes()
                                               : std::as_bytes(std::span(buffer->data));
  if (view->byteOffset > bytes.size() || view->byteLength > bytes.size() - view->byteOffset) {
    return fail(errc::corrupt, "a view goes beyond its buffer");
  }
  return bytes.subspan(view->byteOffset, view->byteLength);
}

// Where the elements of an accessor are.
result<file::elements> file::elements_of(int index) const {
  const tinygltf::Accessor* const accessor = at(model_->accessors, index);
  if (accessor == nullptr) return fail(errc::corrupt, "an accessor does not exist");
  if (accessor->bufferView < 0 || accessor->sparse.isSparse) {
    return fail(errc::unsupported, "sparse accessors and those of extensions are not read");
  }
  const result<std::span<const std::byte>> view = view_of(accessor->bufferView);
  if (!view) return tl::unexpected<error>(view.error());
  const int component =
      tinygltf::GetComponentSizeInBytes(static_cast<std::uint32_t>(accessor->componentType));
  const int width = tinygltf::GetNumComponentsInType(static_cast<std::uint32_t>(accessor->type));
  if (component <= 0 || width <= 0) return fail(errc::corrupt, "an accessor has no known type");
  const std::size_t bytes = static_cast<std::size_t>(component) * static_cast<std::size_t>(width);
  const std::size_t own =
      model_->bufferViews[static_cast<std::size_t>(accessor->bufferView)].byteStride;
  const std::size_t stride = own == 0 ? bytes : own;
  if (accessor->byteOffset > view->size() || accessor->count == 0 ||
      bytes > view->size() - accessor->byteOffset ||
      accessor->count - 1 > (view->size() - accessor->byteOffset - bytes) / stride) {
    return fail(errc::corrupt, "an accessor goes beyond its view");
  }
  return elements{view->data() + accessor->byteOffset, accessor->count, stride,
                  accessor->componentType, accessor->type};
}

result<void> file::read_positions(int accessor, surface& to) const {
  const result<elements> from = elements_of(accessor);
  if (!from) return tl::unexpected<error>(from.error());
  if (from->type != TINYGLTF_TYPE_VEC3 || from->component != TINYGLTF_COMPONENT_TYPE_FLOAT) {
    return fail(errc::unsupported, "positions that are not three floats are not read");
  }
  to.positions.resize(from->count);
  for (std::size_t i = 0; i < from->count; ++i) {
    std::memcpy(&to.positions[i], from->first + i * from->stride, sizeof to.positions[i]);
  }
  return {};
}

result<void> file::read_indices(int accessor, surface& to) const {
  const result<elements> from = elements_of(accessor);
  if (!from) return tl::unexpected<error>(from.error());
  const std::size_t bytes = from->component == TINYGLTF_COMPONENT_TYPE_UNSIGNED_BYTE    ? 1
                            : from->component == TINYGLTF_COMPONENT_TYPE_UNSIGNED_SHORT ? 2
                            : from->component == TINYGLTF_COMPONENT_TYPE_UNSIGNED_INT   ? 4
                                                                                        : 0;
  if (bytes == 0 || from->type != TINYGLTF_TYPE_SCALAR) {
    return fail(errc::corrupt, "indices are no whole numbers");
  }
  to.indices.reserve(from->count);
  for (std::size_t i = 0; i < from->count; ++i) {
    std::uint32_t index = 0;
    for (std::size_t byte = bytes; byte-- > 0;) {
      index = index << 8 | std::to_integer<std::uint32_t>(from->first[i * from->stride + byte]);
    }
    if (index >= to.positions.size()) return fail(errc::corrupt, "an index is of no vertex");
    to.indices.push_back(index);
  }
  return {};
}

result<mesh> file::mesh_of(std::string_view part) const {
  const tinygltf::Mesh* const from = at(model_->meshes, index_of(part, "mesh", model_->meshes));
  if (from == nullptr) return fail(errc::not_found, "the glTF has no such mesh");
  mesh made{.name = from->name.empty() ? std::string(part) : from->name, .surfaces = {}};
  for (const tinygltf::Primitive& each : from->primitives) {
    if (each.mode != TINYGLTF_MODE_TRIANGLES) continue;
    surface& now = made.surfaces.emplace_back();
    now.material = each.material;
    const auto positions = each.attributes.find("POSITION");
    if (positions == each.attributes.end()) continue;
    result<void> read = read_positions(positions->second, now);
    if (read && each.indices >= 0) read = read_indices(each.indices, now);
    if (!read) return tl::unexpected<error>(read.error());
  }
  return made;
}

result<material> file::material_of(std::string_view part) const {
  const tinygltf::Material* const from =
      at(model_->materials, index_of(part, "material", model_->materials));
  if (from == nullptr) return fail(errc::not_found, "the glTF has no such material");
  material made{.name = from->name.empty() ? std::string(part) : from->name, .texture = {}};
  const auto& look = from->pbrMetallicRoughness;
  for (std::size_t i = 0; i < look.baseColorFactor.size() && i < made.colour.size(); ++i) {
    made.colour[i] = look.baseColorFactor[i];
  }
  if (look.baseColorTexture.index < 0) return made;
  const tinygltf::Texture* const texture = at(model_->textures, look.baseColorTexture.index);
  const picture* const image = texture == nullptr ? nullptr : at(pictures, texture->source);
  if (image == nullptr) return fail(errc::corrupt, "the texture of a material does not exist");
  made.texture = *image;
  return made;
}

std::uint64_t file::bytes() const {
  std::uint64_t sum = sizeof(file) + source_.size();
  for (const picture& each : pictures) {
    if (each.inside != nullptr) sum += each.inside->bytes().size();
  }
  if (model_ == nullptr) return sum;
  for (const tinygltf::Buffer& each : model_->buffers) sum += each.data.size();
  return sum + model_->accessors.size() * sizeof(tinygltf::Accessor) +
         model_->nodes.size() * sizeof(tinygltf::Node);
}

}  // namespace gltf

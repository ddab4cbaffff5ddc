// SPDX-License-Identifier: Zlib
//
// Shows a glTF: its meshes and materials are parts of the file, and textures sharpen as their mips
// come. tinygltf reads the format (gltf.hpp), and Overture every file.
//
//   example_15_gltf_viewer                                    the scene in data/
//   example_15_gltf_viewer FOLDER_OR_ARCHIVE PATH             a .gltf or .glb in there
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "gltf.hpp"
#include "overture/overture.hpp"
#include "window.hpp"

using namespace overture;
using namespace std::chrono_literals;

namespace {

// Buffers are needed, and images wanted: it is drawn without those that come late, or never.
class file_loader final : public loader<gltf::file> {
 public:
  result<gltf::file> decode(std::span<const std::byte> bytes, load_context& context) override {
    result<gltf::file> made = gltf::file::open(bytes, context.path().text);
    if (!made) return made;
    for (gltf::buffer& each : made->buffers) {
      if (!each.path.empty()) each.file = context.need<loaders::file_bytes>(each.path);
    }
    for (gltf::picture& each : made->pictures) {
      if (!each.path.empty()) each.file = context.want<loaders::image>(each.path);
    }
    return made;
  }
  // On a worker, once the buffers are there.
  result<void> build(gltf::file& made, asset_context& context) override {
    return made.parse(context.path().text);
  }
  bool builds() const noexcept override { return true; }
  bool dependent() const noexcept override { return true; }      // on the buffers
  bool free_threaded() const noexcept override { return true; }  // nothing to upload
  std::uint64_t bytes_of(const gltf::file& made) const noexcept override { return made.bytes(); }
};

struct mesh_loader final : part_loader<gltf::mesh, gltf::file> {
  result<gltf::mesh> make(const gltf::file& whole, asset_context& context) override {
    return whole.mesh_of(context.part());
  }
};

struct material_loader final : part_loader<gltf::material, gltf::file> {
  result<gltf::material> make(const gltf::file& whole, asset_context& context) override {
    return whole.material_of(context.part());
  }
};

}  // namespace

int main(int argc, char** argv) {
  const std::string_view path = argc > 2 ? argv[2] : "room.gltf";
  file_system files;
  if (auto mounted = files.mount(argc > 2 ? argv[1] : OVERTURE_EXAMPLE_DATA); !mounted) {
    std::fprintf(stderr, "%s\n", mounted.error().reason);
    return 1;
  }
  thread_pool jobs = thread_pool::for_this_machine();
  read_queue reads{files};
  loaders::bytes_loader blobs;
  loaders::image_loader images{{.mips = true}};
  file_loader scenes;
  mesh_loader meshes;
  material_loader materials;
  asset_store store{files, reads, jobs};
  if (!store.add(blobs) || !store.add(images) || !store.add(scenes)) return 1;
  if (!store.add(meshes) || !store.add(materials)) return 1;
  const asset<gltf::file> scene = store.get<gltf::file>(path, asset_priority::high);
  std::vector<asset<gltf::mesh>> shapes;
  std::vector<asset<gltf::material>> looks;
  window screen;
  for (bool is_moving = true; is_moving;) {
    store.pump(4ms);
    const asset_progress before = store.progress();
    (void)store.take_events([&](const asset_event& event) { screen.tell(store, event); });
    if (scene.is_ready() && shapes.empty()) {
      for (const std::string& part : scene->materials()) {
        looks.push_back(store.get<gltf::material>(path, {.part = part}));
      }
      for (const std::string& part : scene->meshes_to_draw()) {
        shapes.push_back(store.get<gltf::mesh>(path, {.part = part}));
      }
    }
    for (const asset<gltf::mesh>& shape : shapes) {
      if (shape.is_ready()) screen.draw(*shape, looks);
    }
    is_moving = screen.show() || before.ready + before.failed < before.asked ||
                store.progress().asked > before.asked;
  }
  return store.progress().failed == 0 ? 0 : 1;
}

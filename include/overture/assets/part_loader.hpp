// SPDX-License-Identifier: Zlib
//
// part_loader<T, Whole>: makes assets of parts of a file, "car.gltf" and its "wheel", from one
// value of the whole file.
//
//   class mesh_loader final : public part_loader<mesh, gltf_file> {
//    public:
//     result<mesh> make(const gltf_file& whole, asset_context& context) override {
//       const gltf_mesh* found = whole.find_mesh(context.part());
//       if (found == nullptr) return fail(errc::not_found, "the file has no such mesh");
//       return mesh_of(*found, context.settings<mesh>());
//     }
//   };
//
//   store.add(files);   // loader<gltf_file>: reads and decodes the file, once for all of its parts
//   store.add(meshes);
//   asset<mesh> wheel = store.get<mesh>("car.gltf"_path, {.part = "wheel"});
//
// A part needs the whole: it fails if that fails, and keeps it loaded. Once the whole was loaded
// again, so are its parts; if that reload fails, they keep their values, and reload_status() says
// why for them too. Say in memory_needed() what a part takes, for the store's budget: it gets no
// bytes. Keep in the whole what parts are made of, and count it in bytes_of().
//
// make() may need more, such as the material of a mesh, by context.need<material>(path): that is
// ready before finalize(). finalize() and unload() are as for any loader. Cost: as for an asset
// whose file is empty.
#pragma once

#include "overture/assets/loader.hpp"

namespace overture {

template <class T, class Whole>
class part_loader : public loader<T> {
  static_assert(std::is_default_constructible_v<T> && std::is_nothrow_move_assignable_v<T>,
                "a part is made in place of an empty one");

 public:
  // Makes the part context.part() of the file. Any worker, several calls at once.
  virtual result<T> make(const Whole& whole, asset_context& context) = 0;

  result<T> decode(std::span<const std::byte> /*bytes*/, load_context& context) final {
    (void)context.need<Whole>(context.path());
    return T{};
  }
  result<void> build(T& value, asset_context& context) final {
    result<T> made = make(*context.needed<Whole>(), context);
    if (!made) return tl::unexpected<error>(made.error());
    value = std::move(*made);
    return {};
  }
  [[nodiscard]] bool builds() const noexcept final { return true; }
  [[nodiscard]] bool reads() const noexcept final { return false; }
  [[nodiscard]] bool dependent() const noexcept final { return true; }
};

}  // namespace overture

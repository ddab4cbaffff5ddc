// SPDX-License-Identifier: Zlib
struct gltf_mesh {};
struct gltf_file {
  const gltf_mesh* find_mesh(std::string_view name) const;
};
struct mesh {};
mesh mesh_of(const gltf_mesh& one, no_settings how);
extern asset_store& store;
extern loader<gltf_file>& files;
extern loader<mesh>& meshes;

// SPDX-License-Identifier: Zlib
struct graphics_device {
  void compile_shaders();
};
extern graphics_device device;

// SPDX-License-Identifier: Zlib
struct my_file : text_sink {
  explicit my_file(const char* path);
  result<void> write(std::string_view text) override;
};

// SPDX-License-Identifier: Zlib
class level_loader;
bool upload_rows(texture& made, std::chrono::nanoseconds budget);
void glDeleteTextures(int count, const unsigned* names);
std::vector<std::string_view> lines_of(std::span<const std::byte> bytes);
extern const mount_id gone;

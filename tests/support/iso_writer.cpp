// SPDX-License-Identifier: Zlib
#include "support/iso_writer.hpp"

#include <algorithm>
#include <deque>

namespace overture {
namespace {

constexpr std::size_t sector_bytes = 2048;

std::string little(std::uint64_t value, std::size_t bytes) {
  std::string text;
  for (; bytes-- > 0; value >>= 8) text += static_cast<char>(value & 0xFF);
  return text;
}
std::string both(std::uint64_t value, std::size_t bytes) {
  const std::string first = little(value, bytes);
  return first + std::string(first.rbegin(), first.rend());
}
std::string padded(std::string text, std::size_t bytes, char with = '\0') {
  text.resize(bytes, with);
  return text;
}
std::uint32_t sectors_of(std::size_t bytes) {
  return static_cast<std::uint32_t>((bytes + sector_bytes - 1) / sector_bytes);
}

std::string wide(const std::string& ascii) {
  std::string text;
  for (const char c : ascii) text += std::string{'\0', c};
  return text;
}

std::string record(const std::string& name, std::uint32_t sector, std::uint64_t bytes,
                   std::uint8_t flags, std::uint8_t gap = 0, const std::string& use = {},
                   const std::string& date = std::string(7, '\0')) {
  std::string text = '\0' + both(sector, 4) + both(bytes, 4) + date;
  text += static_cast<char>(flags);
  text += '\0';
  text += static_cast<char>(gap);
  text += both(1, 2) + static_cast<char>(name.size()) + name;
  if (text.size() % 2 == 0) text += '\0';
  text += use;
  if (text.size() % 2 == 0) text += '\0';
  return static_cast<char>(text.size() + 1) + text;
}

// Records do not cross sectors.
void append_record(std::string& folder, const std::string& added) {
  if (folder.size() % sector_bytes + added.size() > sector_bytes) {
    folder.resize(sectors_of(folder.size()) * sector_bytes, '\0');
  }
  folder += added;
}

class iso_layout {
 public:
  iso_layout(const iso_tree& root, bool joliet) {
    next_ = 16 + (joliet ? 3 : 2);
    place_files(root);
    const std::uint32_t plain = place_folder(root, false);
    std::string descriptors = descriptor(1, plain, false);
    if (joliet) descriptors += descriptor(2, place_folder(root, true), true);
    descriptors += padded(
        "\xFF"
        "CD001\1",
        sector_bytes);
    image_ = std::string(16 * sector_bytes, '\0') + descriptors + image_;
  }
  [[nodiscard]] const std::string& image() const { return image_; }

 private:
  std::uint32_t append(const std::string& bytes) {
    const std::uint32_t at = next_;
    next_ += sectors_of(bytes.size());
    image_ += padded(bytes, sectors_of(bytes.size()) * sector_bytes);
    return at;
  }
  void place_files(const iso_tree& folder) {
    for (const iso_file& file : folder.files) file_sectors_.push_back(append(file.data));
    for (const iso_tree& below : folder.folders) place_files(below);
  }
  // Writes children first, so that their sectors are known. Returns the sector.
  std::uint32_t place_folder(const iso_tree& root, bool wide_names) {
    names_wide_ = wide_names;
    next_file_ = 0;
    return build(root);
  }
  std::uint32_t build(const iso_tree& folder) {
    std::string text;
    const auto use_of = [this](const std::string& use) { return names_wide_ ? "" : use; };
    append_record(text,
                  record(std::string(1, '\0'), 0, sector_bytes, 2, 0, use_of(folder.self_use)));
    append_record(text, record(std::string(1, '\1'), 0, sector_bytes, 2));
    for (const iso_file& file : folder.files) {
      append_record(
          text, record(name_of(file.name), file.stated_sector.value_or(file_sectors_[next_file_]),
                       file.stated_bytes.value_or(static_cast<std::uint32_t>(file.data.size())),
                       file.flags, file.gap, use_of(file.use), file.date));
      ++next_file_;
    }
    for (const iso_tree& below : folder.folders) {
      const std::uint32_t sector = build(below);
      append_record(text,
                    record(name_of(below.name), below.stated_sector.value_or(sector),
                           below.stated_bytes.value_or(last_bytes_), 2, 0, use_of(below.use)));
    }
    last_bytes_ = sectors_of(text.size()) * static_cast<std::uint32_t>(sector_bytes);
    text.replace(10, 8, both(last_bytes_, 4));
    return append(text);
  }
  std::string name_of(const std::string& name) const { return names_wide_ ? wide(name) : name; }
  std::string descriptor(int kind, std::uint32_t root, bool wide_names) const {
    std::string text = static_cast<char>(kind) + std::string("CD001\1\0", 7);
    text = padded(text, 80) + both(0, 4) + padded(wide_names ? "%/E" : "", 32) + both(1, 2) +
           both(1, 2) + both(sector_bytes, 2);
    text = padded(text, 156) + record(std::string(1, '\0'), root, last_bytes_, 2);
    return padded(text, sector_bytes);
  }

  bool names_wide_ = false;
  std::string image_;
  std::uint32_t next_ = 0;
  std::deque<std::uint32_t> file_sectors_;
  std::size_t next_file_ = 0;
  std::uint32_t last_bytes_ = 0;
};

std::string zlib_stored(const std::string& data) {
  std::uint32_t a = 1;
  std::uint32_t b = 0;
  for (const char c : data) {
    a = (a + static_cast<unsigned char>(c)) % 65521;
    b = (b + a) % 65521;
  }
  const std::string sum = little(b << 16 | a, 4);
  return "\x78\x01\x01" + little(data.size(), 2) + little(~data.size(), 2) + data +
         std::string(sum.rbegin(), sum.rend());
}

}  // namespace

std::string susp_field(const std::string& name, const std::string& data) {
  return name + static_cast<char>(data.size() + 4) + '\1' + data;
}
std::string rock_ridge_begin() {
  return susp_field("SP", std::string("\xBE\xEF\0", 3)) + rock_ridge_mode(0040555);
}
std::string rock_ridge_mode(unsigned mode) {
  return susp_field("PX", both(mode, 4) + both(1, 4) + both(0, 4) + both(0, 4));
}
std::string rock_ridge_name(const std::string& name, unsigned flags) {
  return susp_field("NM", static_cast<char>(flags) + name);
}
std::string rock_ridge_link(const std::string& target) {
  std::string elements;
  std::size_t begin = 0;
  while (begin <= target.size()) {
    const std::size_t slash = std::min(target.find('/', begin), target.size());
    const std::string element = target.substr(begin, slash - begin);
    const char flags = element == "." ? 2 : element == ".." ? 4 : element.empty() ? 8 : 0;
    elements += flags;
    elements += static_cast<char>(flags == 0 ? element.size() : 0);
    if (flags == 0) elements += element;
    begin = slash + 1;
  }
  return rock_ridge_mode(0120777) + susp_field("SL", '\0' + elements);
}
std::string rock_ridge_child(std::uint32_t sector) {
  return susp_field("CL", both(sector, 4));
}
std::string rock_ridge_continued(std::uint32_t sector, std::uint32_t offset, std::uint32_t bytes) {
  return susp_field("CE", both(sector, 4) + both(offset, 4) + both(bytes, 4));
}
std::string rock_ridge_packed(std::uint32_t bytes, const std::string& method, unsigned log2) {
  return susp_field("ZF", method + '\4' + static_cast<char>(log2) + both(bytes, 4));
}

std::string write_zisofs(const std::string& data) {
  constexpr std::size_t block_bytes = 32768;
  const std::size_t blocks = (data.size() + block_bytes - 1) / block_bytes;
  std::string text =
      "\x37\xE4\x53\x96\xC9\xDB\xD6\x07" + little(data.size(), 4) + std::string("\4\xF\0\0", 4);
  std::string packed;
  const std::size_t begin = text.size() + (blocks + 1) * 4;
  for (std::size_t i = 0; i < blocks; ++i) {
    text += little(begin + packed.size(), 4);
    const std::string block = data.substr(i * block_bytes, block_bytes);
    if (block.find_first_not_of('\0') != std::string::npos) packed += zlib_stored(block);
  }
  return text + little(begin + packed.size(), 4) + packed;
}

std::string write_iso(const iso_tree& root, bool joliet) {
  return iso_layout(root, joliet).image();
}

}  // namespace overture

// SPDX-License-Identifier: Zlib
#include "support/table_writer.hpp"

#include <algorithm>

namespace overture {
namespace {

std::string number(std::uint64_t value, std::size_t bytes) {
  std::string text;
  for (; bytes-- > 0; value >>= 8) text += static_cast<char>(value & 0xFF);
  return text;
}
std::string u32(std::uint64_t value) {
  return number(value, 4);
}

std::string field(std::string text, std::size_t bytes, char filler = '\0') {
  text.resize(bytes, filler);
  return text;
}

std::string with_backslashes(std::string name) {
  std::replace(name.begin(), name.end(), '/', '\\');
  return name;
}

std::uint32_t bytes_of(const table_file& file) {
  return file.stated_bytes.value_or(static_cast<std::uint32_t>(file.data.size()));
}

std::string all_data(const std::vector<table_file>& files) {
  std::string data;
  for (const table_file& file : files) data += file.data;
  return data;
}

// Calls record(file, offset) for each file; their data is contiguous from `offset` on.
template <class Record>
std::string records(const std::vector<table_file>& files, std::size_t offset, Record record) {
  std::string text;
  for (const table_file& file : files) {
    text += record(file, file.stated_offset.value_or(static_cast<std::uint32_t>(offset)));
    offset += file.data.size();
  }
  return text;
}

std::string pak(const std::vector<table_file>& files, std::uint32_t count) {
  const auto record = [](const table_file& file, std::uint32_t offset) {
    return field(file.name, 56) + u32(offset) + u32(bytes_of(file));
  };
  const std::string data = all_data(files);
  return "PACK" + u32(12 + data.size()) + u32(count * 64) + data + records(files, 12, record);
}

std::string wad(const std::vector<table_file>& files, std::uint32_t count) {
  const auto record = [](const table_file& file, std::uint32_t offset) {
    return u32(offset) + u32(bytes_of(file)) + field(file.name, 8);
  };
  const std::string data = all_data(files);
  return "PWAD" + u32(count) + u32(12 + data.size()) + data + records(files, 12, record);
}

std::string grp(const std::vector<table_file>& files, std::uint32_t count) {
  const auto record = [](const table_file& file, std::uint32_t) {
    return field(file.name, 12, ' ') + u32(bytes_of(file));
  };
  return "KenSilverman" + u32(count) + records(files, 0, record) + all_data(files);
}

std::string hog(const std::vector<table_file>& files, std::uint32_t) {
  std::string chain = "DHF";
  for (const table_file& file : files) {
    chain += field(file.name, 13) + u32(bytes_of(file)) + file.data;
  }
  return chain;
}

std::string hog2(const std::vector<table_file>& files, std::uint32_t count) {
  const auto record = [](const table_file& file, std::uint32_t) {
    return field(file.name, 36) + u32(0) + u32(bytes_of(file)) + u32(0);
  };
  return "HOG2" + u32(count) + u32(68 + files.size() * 48) + std::string(56, '\xFF') +
         records(files, 0, record) + all_data(files);
}

std::string mvl(const std::vector<table_file>& files, std::uint32_t count) {
  const auto record = [](const table_file& file, std::uint32_t) {
    return field(file.name, 13) + u32(bytes_of(file));
  };
  return "DMVL" + u32(count) + records(files, 0, record) + all_data(files);
}

std::string vdf(const std::vector<table_file>& files, std::uint32_t count) {
  constexpr std::size_t header = 256 + 16 + 24;
  const auto record = [](const table_file& file, std::uint32_t offset) {
    return field(file.name, 64, ' ') + u32(offset) + u32(bytes_of(file)) + u32(0) + u32(0x20);
  };
  const std::string folder = field("DATA", 64, ' ') + u32(1) + u32(0) + u32(0x80000000) + u32(0);
  const std::string table = folder + records(files, header + (files.size() + 1) * 80, record);
  const std::uint32_t stated = count == UINT32_MAX ? count : count + 1;
  return field("a comment", 256, '\x1A') + "PSVDSC_V2.00\r\n\r\n" + u32(stated) +
         u32(files.size()) + u32(0x28212121) + u32(0) + u32(header) + u32(0x50) + table +
         all_data(files);
}

std::string chasm(const std::vector<table_file>& files, std::uint32_t count) {
  const auto record = [](const table_file& file, std::uint32_t offset) {
    return number(file.name.size(), 1) + field(file.name, 12, '\xCC') + u32(bytes_of(file)) +
           u32(offset);
  };
  return "CSid" + number(count, 2) + records(files, 6 + files.size() * 21, record) +
         all_data(files);
}

std::string gob_table(const std::vector<table_file>& files, std::uint32_t count, std::size_t header,
                      std::size_t name_bytes) {
  const auto record = [&](const table_file& file, std::uint32_t offset) {
    return u32(offset) + u32(bytes_of(file)) + field(with_backslashes(file.name), name_bytes);
  };
  const std::size_t data = header + 4 + files.size() * (8 + name_bytes);
  return u32(count) + records(files, data, record) + all_data(files);
}

std::string gob(const std::vector<table_file>& files, std::uint32_t count) {
  return "GOB\n" + u32(8) + gob_table(files, count, 8, 13);
}

std::string gob2(const std::vector<table_file>& files, std::uint32_t count) {
  return "GOB " + u32(0x14) + u32(12) + gob_table(files, count, 12, 128);
}

std::string lab(const std::vector<table_file>& files, std::uint32_t count) {
  std::string names;
  for (const table_file& file : files) names += file.name + '\0';
  std::size_t name = 0;
  const auto record = [&](const table_file& file, std::uint32_t offset) {
    const std::size_t at = name;
    name += file.name.size() + 1;
    return u32(at) + u32(offset) + u32(bytes_of(file)) + "TEXT";
  };
  const std::size_t data = 16 + files.size() * 16 + names.size();
  return "LABN" + u32(0x10000) + u32(count) + u32(names.size()) + records(files, data, record) +
         names + all_data(files);
}

std::string lfd_header(const table_file& file) {
  const std::size_t dot = std::min(file.name.rfind('.'), file.name.size());
  const std::string kind = dot == file.name.size() ? "" : file.name.substr(dot + 1);
  return field(kind, 4) + field(file.name.substr(0, dot), 8) + u32(bytes_of(file));
}

std::string lfd_chain(const std::vector<table_file>& files, std::uint32_t) {
  std::string chain;
  for (const table_file& file : files) chain += lfd_header(file) + file.data;
  return chain;
}

std::string lfd(const std::vector<table_file>& files, std::uint32_t count) {
  std::string map = "RMAPresource" + u32(files.size() * 16);
  for (const table_file& file : files) map += lfd_header(file);
  return map + lfd_chain(files, count);
}

std::string slb(const std::vector<table_file>& files, std::uint32_t count) {
  const auto record = [](const table_file& file, std::uint32_t offset) {
    return field('\\' + with_backslashes(file.name), 64) + u32(offset) + u32(bytes_of(file));
  };
  const std::string data = all_data(files);
  return u32(0) + u32(count) + u32(12 + data.size()) + data + records(files, 12, record);
}

std::string pod(const std::vector<table_file>& files, std::uint32_t count) {
  const auto record = [](const table_file& file, std::uint32_t offset) {
    return field(with_backslashes(file.name), 32) + u32(bytes_of(file)) + u32(offset);
  };
  return u32(count) + field("A test", 80) + records(files, 84 + files.size() * 40, record) +
         all_data(files);
}

}  // namespace

const std::vector<table_kind>& table_kinds() {
  static const std::vector<table_kind> kinds{
      {mount_format::pak, "pak", "pak", true, true, 56, true},
      {mount_format::wad, "wad", "wad", true, true, 8, true},
      {mount_format::grp, "grp", "grp", false, true, 12, true},
      {mount_format::hog, "hog", "hog", false, false, 12, true},
      {mount_format::mvl, "mvl", "mvl", false, true, 12, true},
      {mount_format::vdf, "vdf", "vdf", true, true, 64, true},
      {mount_format::chasm, "chasm", "bin", true, true, 12, false},
      {mount_format::gob, "gob", "gob", true, true, 12, false},
      {mount_format::lab, "lab", "lab", true, true, 255, false},
      {mount_format::lfd, "lfd", "lfd", false, false, 12, false},
      {mount_format::slb, "slb", "slb", true, true, 62, true},
      {mount_format::pod, "pod", "pod", true, true, 32, false},
  };
  return kinds;
}

std::string write_table(mount_format format, const std::vector<table_file>& files,
                        std::optional<std::uint32_t> stated_count, bool second) {
  const std::uint32_t count = stated_count.value_or(static_cast<std::uint32_t>(files.size()));
  switch (format) {
    case mount_format::pak:
      return pak(files, count);
    case mount_format::wad:
      return wad(files, count);
    case mount_format::grp:
      return grp(files, count);
    case mount_format::hog:
      return second ? hog2(files, count) : hog(files, count);
    case mount_format::mvl:
      return mvl(files, count);
    case mount_format::vdf:
      return vdf(files, count);
    case mount_format::chasm:
      return chasm(files, count);
    case mount_format::gob:
      return second ? gob2(files, count) : gob(files, count);
    case mount_format::lab:
      return lab(files, count);
    case mount_format::lfd:
      return second ? lfd_chain(files, count) : lfd(files, count);
    case mount_format::slb:
      return slb(files, count);
    case mount_format::pod:
      return pod(files, count);
    default:
      return {};
  }
}

}  // namespace overture

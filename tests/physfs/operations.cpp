// SPDX-License-Identifier: Zlib
#include "physfs/operations.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <iomanip>
#include <iostream>
#include <sstream>

namespace {

const char* pointer(const operation& next, std::size_t index) {
  if (index >= next.size() || next[index] == null_word) return nullptr;
  return next[index].c_str();
}

long long number(const operation& next, std::size_t index) {
  return index < next.size() ? std::strtoll(next[index].c_str(), nullptr, 10) : 0;
}

std::string shown(const char* text) {
  return text ? text : null_word;
}

// Bytes as their count and a hash, to keep what is printed short.
std::string shown_bytes(const std::string& bytes, long long count) {
  std::uint64_t hash = 14695981039346656037u;
  for (long long i = 0; i < count; ++i)
    hash = (hash ^ static_cast<unsigned char>(bytes[static_cast<std::size_t>(i)])) * 1099511628211u;
  return std::to_string(count) + (count > 0 ? " bytes " + std::to_string(hash) : "");
}

std::string shown_list(char** names, const library& functions) {
  if (!names) return null_word;
  std::string text;
  for (char** name = names; *name; ++name) text += std::string(*name) + "|";
  functions.freeList(names);
  return text;
}

PHYSFS_EnumerateCallbackResult collect(void* names, const char* folder, const char* name) {
  static_cast<std::vector<std::string>*>(names)->push_back(std::string(folder) + "|" + name);
  return PHYSFS_ENUM_OK;
}

}  // namespace

std::ostream& operator<<(std::ostream& out, const operation& done) {
  for (const std::string& word : done)
    out << (&word == done.data() ? "" : " ") << std::quoted(word);
  return out;
}

bool read_operation(std::istream& in, operation& next) {
  std::string line;
  while (std::getline(in, line)) {
    std::istringstream words(line);
    next.clear();
    for (std::string word; words >> std::quoted(word);) next.push_back(word);
    if (!next.empty()) return true;
  }
  return false;
}

player::player(const library& functions, std::string folder)
    : functions_(functions), folder_(std::move(folder)) {}

void player::begin() {
  std::filesystem::current_path(folder_);
  std::filesystem::remove_all("w");
  std::filesystem::create_directory("w");
  functions_.init("program");
  functions_.permitSymbolicLinks(0);
  files_ = {};
}

void player::end() {
  std::filesystem::current_path(folder_);
  for (PHYSFS_File* file : files_)
    if (file) functions_.close(file);
  functions_.deinit();
}

std::string player::play(const operation& next) {
  // Relative paths keep the two folders out of what the libraries answer.
  if (chdir(folder_.c_str()) != 0) return "no folder";
  functions_.setErrorCode(PHYSFS_ERR_OK);
  (void)functions_.getLastErrorCode();
  outcome result = ask(next);
  const PHYSFS_ErrorCode code = functions_.getLastErrorCode();
  if (result.failed) result.text += " error " + std::to_string(code);
  return result.text;
}

player::outcome player::ask(const operation& next) {
  const std::string& what = next[0];
  const char* const name = pointer(next, 1);
  const auto flag = [](int value) { return outcome{std::to_string(value), value == 0}; };
  const auto text = [](const char* value) { return outcome{shown(value), !value}; };
  if (what == "exists") return flag(functions_.exists(name));
  if (what == "is_directory") return flag(functions_.isDirectory(name));
  if (what == "is_link") return flag(functions_.isSymbolicLink(name));
  if (what == "stat") return stat(name);
  if (what == "time") {
    if (is_written(name)) return {};
    const PHYSFS_sint64 time = functions_.getLastModTime(name);
    return {std::to_string(time), time < 0};
  }
  if (what == "real_dir") return text(functions_.getRealDir(name));
  if (what == "mount_point") return text(functions_.getMountPoint(name));
  if (what == "enumerate") return list(name);
  if (what == "enumerate_files") {
    const std::string names = shown_list(functions_.enumerateFiles(name), functions_);
    return {names, names == null_word};
  }
  if (what == "search_path") return {shown_list(functions_.getSearchPath(), functions_)};
  if (what == "write_dir") return {shown(functions_.getWriteDir())};
  if (what == "links_permitted") return {std::to_string(functions_.symbolicLinksPermitted())};
  if (what == "error_text")
    return {shown(functions_.getErrorByCode(static_cast<PHYSFS_ErrorCode>(number(next, 1))))};
  if (what == "set_error") {
    functions_.setErrorCode(static_cast<PHYSFS_ErrorCode>(number(next, 1)));
    return {shown(functions_.getLastError()) + shown(functions_.getLastError())};
  }
  if (what == "compare") return {std::to_string(functions_.utf8stricmp(name, pointer(next, 2)))};
  return change(next);
}

player::outcome player::change(const operation& next) {
  const std::string& what = next[0];
  const char* const name = pointer(next, 1);
  const auto flag = [](int value) { return outcome{std::to_string(value), value == 0}; };
  if (what == "init") return flag(functions_.init("program"));
  if (what == "restart") {
    files_ = {};
    const int ended = functions_.deinit();
    const int again = functions_.deinit();
    const PHYSFS_ErrorCode code = functions_.getLastErrorCode();
    return {std::to_string(ended) + std::to_string(again) + std::to_string(functions_.init("p")) +
            " error " + std::to_string(code)};
  }
  if (what == "mount")
    return flag(functions_.mount(name, pointer(next, 2), static_cast<int>(number(next, 3))));
  if (what == "unmount") return flag(functions_.unmount(name));
  if (what == "set_write_dir") {
    // 3.0.2 refuses a file, and has emptied it.
    if (name && std::filesystem::is_regular_file(name)) return {"a file"};
    return flag(functions_.setWriteDir(name));
  }
  if (what == "mkdir") return flag(functions_.mkdir(name));
  if (what == "delete") return flag(functions_.remove(name));
  if (what == "permit_links") {
    functions_.permitSymbolicLinks(static_cast<int>(number(next, 1)));
    return {};
  }
  return use_file(next);
}

player::outcome player::use_file(const operation& next) {
  const std::string& what = next[0];
  const auto slot = static_cast<std::size_t>(number(next, 1)) % files_.size();
  PHYSFS_File*& file = files_[slot];
  const auto size = [&](std::size_t index) {
    return static_cast<std::size_t>(number(next, index));
  };
  const auto flag = [](int value) { return outcome{std::to_string(value), value == 0}; };
  const auto count = [](PHYSFS_sint64 value) { return outcome{std::to_string(value), value < 0}; };
  if (what == "open_read") {
    const char* const name = pointer(next, 2);
    // 3.0.2 opens the folder, others look for a file further down the search path.
    if (functions_.isDirectory(name)) return {"a folder"};
    return open(functions_.openRead(name), slot);
  }
  if (what == "open_write") return open(functions_.openWrite(pointer(next, 2)), slot);
  if (what == "open_append") return open(functions_.openAppend(pointer(next, 2)), slot);
  if (what == "close") {
    const int closed = functions_.close(file);
    if (closed) file = nullptr;
    return flag(closed);
  }
  if (!file) return {"no file"};
  if (what == "tell") return count(functions_.tell(file));
  if (what == "length") return count(functions_.fileLength(file));
  if (what == "eof") return {std::to_string(functions_.eof(file))};
  if (what == "flush") return flag(functions_.flush(file));
  if (what == "seek") {
    const int moved = functions_.seek(file, static_cast<PHYSFS_uint64>(number(next, 2)));
    // Where it fails 3.0.2 drops a buffer all the same, and with it the position.
    if (!moved) functions_.seek(file, 0);
    return flag(moved);
  }
  if (what == "set_buffer")
    return flag(functions_.setBuffer(file, static_cast<PHYSFS_uint64>(number(next, 2))));
  if (what == "read_bytes") {
    std::string bytes(size(2), '\0');
    const PHYSFS_sint64 read = functions_.readBytes(file, bytes.data(), bytes.size());
    return {shown_bytes(bytes, read), read < static_cast<PHYSFS_sint64>(bytes.size())};
  }
  if (what == "read") {
    std::string bytes(size(2) * size(3), '\0');
    const PHYSFS_sint64 read =
        functions_.read(file, bytes.data(), static_cast<PHYSFS_uint32>(size(2)),
                        static_cast<PHYSFS_uint32>(size(3)));
    return {shown_bytes(bytes, read < 0 ? read : read * number(next, 2)), read < number(next, 3)};
  }
  if (what == "read_number") {
    PHYSFS_uint16 two = 0;
    PHYSFS_sint32 four = 0;
    PHYSFS_uint64 eight = 0;
    const int all = functions_.readULE16(file, &two) + functions_.readSBE32(file, &four) +
                    functions_.readULE64(file, &eight);
    if (all != 3) return {std::to_string(all)};
    return {std::to_string(two) + " " + std::to_string(four) + " " + std::to_string(eight)};
  }
  if (what == "write_number") return flag(functions_.writeUBE32(file, 0x01020304));
  const std::string bytes(size(2), static_cast<char>('a' + size(2) % 26));
  const PHYSFS_sint64 written = functions_.writeBytes(file, bytes.data(), bytes.size());
  return {std::to_string(written), written < static_cast<PHYSFS_sint64>(bytes.size())};
}

player::outcome player::open(PHYSFS_File* opened, std::size_t slot) {
  const PHYSFS_ErrorCode code = opened ? PHYSFS_ERR_OK : functions_.getLastErrorCode();
  std::string closed;
  if (files_[slot]) closed = " closed " + std::to_string(functions_.close(files_[slot]));
  files_[slot] = opened;
  return {(opened ? "opened" : "error " + std::to_string(code)) + closed};
}

void player::close_file_of(const operation& last) {
  if (!last[0].starts_with("open_") && last[0] != "seek") return;
  PHYSFS_File*& file = files_[static_cast<std::size_t>(number(last, 1)) % files_.size()];
  if (file) functions_.close(file);
  file = nullptr;
}

player::outcome player::list(const char* folder) {
  std::vector<std::string> names;
  const int done = functions_.enumerate(folder, collect, &names);
  // Any order is right.
  std::sort(names.begin(), names.end());
  std::string text = std::to_string(done);
  for (const std::string& name : names) text += "|" + name;
  return {text, done == 0};
}

player::outcome player::stat(const char* name) {
  PHYSFS_Stat found{};
  if (!functions_.stat(name, &found)) return {"0", true};
  std::string text = std::to_string(found.filetype) + " size " + std::to_string(found.filesize) +
                     " readonly " + std::to_string(found.readonly);
  if (!is_written(name)) text += " modified " + std::to_string(found.modtime);
  return {text};
}

// The two libraries write at different moments.
bool player::is_written(const char* name) {
  const char* const folder = functions_.getRealDir(name);
  return folder && folder[0] == 'w';
}

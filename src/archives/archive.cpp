// SPDX-License-Identifier: Zlib
#include "archives/archive.hpp"

#include <algorithm>
#include <cstring>

#include "archives/names/skip_reason.hpp"
#include "base/ascii.hpp"
#include "base/limit_text.hpp"

namespace overture::archives_detail {
using namespace base_detail;

error error_of(entry_flaw flaw) noexcept {
  const auto make = [](errc code, const char* reason) { return error{code, 0, reason, {}, 0}; };
  switch (flaw) {
    case entry_flaw::none:
      break;
    case entry_flaw::outside:
      return make(errc::corrupt,
                  "the file's data is outside the archive, which is probably truncated");
    case entry_flaw::overlap:
      return make(errc::corrupt, "the file's data overlaps another file's");
    case entry_flaw::stored_size:
      return make(errc::corrupt, "the file is stored, but its packed and unpacked sizes differ");
    case entry_flaw::ratio:
      return make(errc::corrupt, "the file claims more bytes than its compressed data can hold");
    case entry_flaw::sizes:
      return make(errc::corrupt, "the file's sizes are missing");
    case entry_flaw::too_large:
      return make(errc::limit, limit_text::file_in_archive);
    case entry_flaw::block_too_large:
      return make(errc::limit, limit_text::solid_block);
    case entry_flaw::encrypted_too_large:
      return make(errc::limit, limit_text::encrypted_file);
    case entry_flaw::bomb:
      return make(errc::limit, limit_text::bomb);
    case entry_flaw::encrypted:
      return make(errc::password, "the file is encrypted; mount it with a password");
    case entry_flaw::strongly_encrypted:
      return make(errc::unsupported,
                  "unsupported encryption; only traditional ZIP encryption is supported");
    case entry_flaw::method:
      return make(errc::unsupported, "unknown compression method; repack with DEFLATE or zstd");
    case entry_flaw::bzip2:
      return make(errc::unsupported,
                  "unsupported compression BZip2; repack with DEFLATE or zstd, or as 7z");
    case entry_flaw::deflate64:
      return make(errc::unsupported,
                  "unsupported compression Deflate64; repack with DEFLATE or zstd");
    case entry_flaw::lzma:
      return make(errc::unsupported,
                  "unsupported compression LZMA in a ZIP; repack with DEFLATE or zstd, or as 7z");
    case entry_flaw::ppmd:
      return make(errc::unsupported,
                  "unsupported compression PPMd; unpack it with 7-Zip and repack with DEFLATE");
    case entry_flaw::xz:
      return make(errc::unsupported, "unsupported compression xz; repack with DEFLATE or zstd");
    case entry_flaw::method_in_7z:
      return make(errc::unsupported, "unknown compression method or filter; repack with LZMA2");
    case entry_flaw::deflate64_in_7z:
      return make(errc::unsupported, "unsupported compression Deflate64; repack with LZMA2");
    case entry_flaw::ppmd_in_7z:
      return make(errc::unsupported,
                  "unsupported compression PPMd; unpack it with 7-Zip and repack with LZMA2");
    case entry_flaw::brotli_in_7z:
      return make(errc::unsupported, "unsupported compression Brotli; repack with LZMA2 or zstd");
    case entry_flaw::lz4_in_7z:
      return make(errc::unsupported, "unsupported compression LZ4; repack with LZMA2 or zstd");
    case entry_flaw::encryption_of_7z:
      return make(errc::unsupported,
                  "encrypted, which this build cannot read; build it with libcrypto");
    case entry_flaw::zisofs:
      return make(
          errc::unsupported,
          "unsupported version of zisofs, which xorriso reads; pack with version 1 or not at all");
    case entry_flaw::interleaved:
      return make(
          errc::unsupported,
          "interleaved or packed in several extents, which is not supported; make the image "
          "again without that");
    case entry_flaw::sparse:
      return make(errc::unsupported,
                  "sparse files are not supported; make the archive again without --sparse");
    case entry_flaw::removal:
      return make(errc::not_found, "a removal marker, not a file");
    case entry_flaw::in_parts:
      return make(errc::unsupported, "multi-part archives are not supported; join the parts first");
  }
  return make(errc::invalid, "the entry has no flaw");
}

bool archive_input::begins_with(std::string_view magic, std::size_t at) const noexcept {
  return front.size() >= at + magic.size() &&
         std::memcmp(front.data() + at, magic.data(), magic.size()) == 0;
}

bool archive_input::has_extension_of(std::string_view words) const noexcept {
  const std::string_view wanted = extension(path);
  if (wanted.empty()) return false;
  while (!words.empty()) {
    const std::size_t space = words.find(' ');
    if (equals_ignoring_case(words.substr(0, space), wanted)) return true;
    words.remove_prefix(space == std::string_view::npos ? words.size() : space + 1);
  }
  return false;
}

archive_builder::archive_builder(archive& into, std::string_view prefix,
                                 const name_rules& rules) noexcept
    : into_(into), prefix_(prefix), rules_(rules) {
  into_.prefix_bytes = static_cast<std::uint32_t>(prefix.size());
}

result<void> archive_builder::make_room() const noexcept {
  const std::size_t names = into_.entries.size() + into_.skipped.size() + into_.lost.size();
  if (names < limits::entries_max) return {};
  return fail(errc::limit, limit_text::files);
}

result<std::uint32_t> archive_builder::append(std::string_view front,
                                              std::string_view back) noexcept {
  const std::size_t at = into_.names.size();
  if (at > UINT32_MAX || front.size() + back.size() + 1 > UINT32_MAX - at) {
    return fail(errc::limit, "more than 4 GiB of names");
  }
  if (!into_.names.append(front.data(), front.size()) ||
      !into_.names.append(back.data(), back.size()) || !into_.names.push_back('\0')) {
    return fail(errc::out_of_memory, "out of memory for the names of the files");
  }
  return static_cast<std::uint32_t>(at);
}

result<std::uint32_t> archive_builder::keep(std::string_view text) noexcept {
  return append({}, text);
}

result<bool> archive_builder::add(std::string_view name, const archive_entry& entry) noexcept {
  path_buffer converted;
  const entry_name made = make_entry_name(name, rules_, converted);
  const std::string_view path = made.path;
  if (made.is_folder && entry.bytes == 0) return false;
  const char* flaw = made.is_folder ? skip_reason::folder_with_data : made.flaw;
  if (!flaw && prefix_.size() + path.size() > limits::path_bytes_max)
    flaw = skip_reason::path_too_long;
  if (!flaw &&
      std::count(path.begin(), path.end(), '/') > std::ptrdiff_t{limits::folder_depth_max}) {
    flaw = skip_reason::too_deep;
  }
  if (flaw) return skip(name, flaw).map([] { return false; });
  if (result<void> room = make_room(); !room) return tl::unexpected(room.error());
  const result<std::uint32_t> kept = append(prefix_, path);
  if (!kept) return tl::unexpected(kept.error());
  archive_entry added = entry;
  added.name = *kept;
  added.name_bytes = static_cast<std::uint16_t>(prefix_.size() + path.size());
  added.id = {hash64(into_.path_of(added))};
  if (!into_.entries.push_back(added))
    return fail(errc::out_of_memory, "out of memory for the list of files");
  return true;
}

result<archive_builder::shown_name> archive_builder::keep_shown(std::string_view name) noexcept {
  if (result<void> room = make_room(); !room) return tl::unexpected(room.error());
  const std::string_view cut = name.substr(0, limits::path_bytes_max);
  return keep(cut).map(
      [&](std::uint32_t at) { return shown_name{at, static_cast<std::uint16_t>(cut.size())}; });
}

archive_builder::shown_name archive_builder::shown(const archive_entry& entry) const noexcept {
  return {entry.name + into_.prefix_bytes,
          static_cast<std::uint16_t>(entry.name_bytes - into_.prefix_bytes)};
}

result<void> archive_builder::skip(std::string_view name, const char* reason) noexcept {
  const result<shown_name> kept = keep_shown(name);
  if (!kept) return tl::unexpected(kept.error());
  return add_skipped(*kept, reason);
}

result<void> archive_builder::lose(std::string_view name, const error& why) noexcept {
  const result<shown_name> kept = keep_shown(name);
  if (!kept) return tl::unexpected(kept.error());
  return add_lost(*kept, why);
}

result<void> archive_builder::take_back(std::uint32_t entry, const char* reason) noexcept {
  return add_skipped(shown(into_.entries[entry]), reason).map([&] { drop(entry); });
}

result<void> archive_builder::take_back_lost(std::uint32_t entry, const error& why) noexcept {
  return add_lost(shown(into_.entries[entry]), why).map([&] { drop(entry); });
}

result<void> archive_builder::add_skipped(shown_name name, const char* reason) noexcept {
  if (const std::optional<errc> code = skip_reason::failure_of(reason)) {
    return add_lost(name, error{*code, 0, reason, {}, 0});
  }
  if (into_.skipped.push_back({reason, name.at, name.bytes})) return {};
  return fail(errc::out_of_memory, "out of memory for the list of skipped names");
}

result<void> archive_builder::add_lost(shown_name name, const error& why) noexcept {
  if (into_.lost.push_back({why, name.at, name.bytes})) return {};
  return fail(errc::out_of_memory, "out of memory for the list of unreadable folders");
}

result<void> archive_builder::index_last_of_each(path_index& index) noexcept {
  return index_each_once(index, [this](std::uint32_t earlier, std::uint32_t later) {
    return take_back(earlier, skip_reason::duplicate).map([later] { return later; });
  });
}

// Archives list folder by folder, so most entries are in the folder of the one before.
result<void> archive_builder::take_back_folders(const path_index& index) noexcept {
  std::string_view last;  // the folder of the entry before
  for (const archive_entry& entry : into_.entries) {
    const std::string_view path = into_.path_of(entry);
    std::size_t slash = path.rfind('/');
    if (slash == std::string_view::npos || path.substr(0, slash) == last) continue;
    last = path.substr(0, slash);
    for (; slash != std::string_view::npos && slash > into_.prefix_bytes;
         slash = path.rfind('/', slash - 1)) {
      const std::string_view folder = path.substr(0, slash);
      const path_id id{hash64(folder)};
      const path_index::slot& at = index.probe(
          id, [&](std::uint32_t known) { return into_.path_of(into_.entries[known]) == folder; });
      if (at.value == path_index::none) continue;
      if (result<void> taken = take_back(at.value, skip_reason::also_folder); !taken) return taken;
    }
  }
  return {};
}

result<void> archive_builder::index_each_once(
    path_index& index,
    function_ref<result<std::uint32_t>(std::uint32_t, std::uint32_t)> choose) noexcept {
  if (!index.reset(into_.entries.size())) {
    return fail(errc::out_of_memory, "out of memory for finding duplicate names");
  }
  constexpr std::uint32_t ahead = 16;  // a large table is not in the cache
  for (std::uint32_t i = 0; i < into_.entries.size(); ++i) {
    if (i + ahead < into_.entries.size()) index.fetch_ahead(into_.entries[i + ahead].id);
    const archive_entry& entry = into_.entries[i];
    if (entry.name_bytes == 0) continue;  // taken back
    const std::string_view path = into_.path_of(entry);
    std::uint32_t others_of_id = 0;
    path_index::slot& at = index.probe(entry.id, [&](std::uint32_t known) {
      if (into_.path_of(into_.entries[known]) == path) return true;
      if (into_.entries[known].id == entry.id) ++others_of_id;
      return false;
    });
    if (others_of_id >= limits::paths_of_id_max) {
      return fail(errc::collision,
                  "too many names share a hash; the archive is probably malicious");
    }
    std::uint32_t kept = i;
    if (at.value != path_index::none) {
      const result<std::uint32_t> chosen = choose(at.value, i);
      if (!chosen) return tl::unexpected(chosen.error());
      kept = *chosen;
    }
    path_index::set(at, entry.id, kept);
  }
  return {};
}

void archive_builder::finish() noexcept {
  if (gaps_) {
    archive_entry* const end =
        std::remove_if(into_.entries.begin(), into_.entries.end(),
                       [](const archive_entry& entry) { return entry.name_bytes == 0; });
    while (into_.entries.end() != end) into_.entries.pop_back();
  }
  const auto by_name = [this](const auto& a, const auto& b) {
    const auto name_of = [this](const auto& entry) {
      return std::string_view(into_.names.data() + entry.name, entry.name_bytes);
    };
    const int order = name_of(a).compare(name_of(b));
    return order != 0 ? order < 0 : a.name < b.name;
  };
  std::sort(into_.skipped.begin(), into_.skipped.end(), by_name);
  std::sort(into_.lost.begin(), into_.lost.end(), by_name);
}

}  // namespace overture::archives_detail

// SPDX-License-Identifier: Zlib
//
// Start packs of games on PhysicsFS: where they lie, what is written into them, how they are used.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace overture::cli {

// Which file was opened, and which entry of it if it is an archive.
struct boost_record {
  std::string path;
  std::string name;
};

// What a game recorded, see compat/physfs/storage/boost.hpp: each file once, even if several
// processes have opened it. A last record that is cut off does not count.
[[nodiscard]] std::vector<boost_record> parse_records(std::string_view bytes);

// The folder of packs, which need not be there. Empty if the environment names none.
[[nodiscard]] std::string pack_folder();
// Creates it for the user alone. False, with an error printed, if that fails.
[[nodiscard]] bool make_pack_folder(const std::string& folder);
inline constexpr const char* no_pack_folder =
    "there is no folder for start packs: set HOME or XDG_CACHE_HOME";
// The pack of a program, by its real path.
[[nodiscard]] std::string pack_of(const std::string& folder, const std::string& program);

struct packed_files {
  std::uint32_t files = 0;
  std::uint64_t bytes = 0;     // in the pack
  std::uint32_t left_out = 0;  // that could not be read, are too large or still change
};
// Reads the files in their order and writes the pack; waits up to two seconds for files that
// changed just now. If it cannot be written, prints an error and returns nothing.
[[nodiscard]] std::optional<packed_files> write_pack(const std::string& pack,
                                                     const std::string& program,
                                                     const std::vector<boost_record>& records);

struct pack_state {
  std::string program;
  std::uint32_t files = 0;
  std::uint32_t current = 0;  // whose real file has not changed
  std::uint32_t damaged = 0;  // whose bytes in the pack are not those that were written
  std::uint64_t bytes = 0;
};
// Reads a pack's index, and with `verify` all of it. Nothing if no game would use it; `why` says
// why.
[[nodiscard]] std::optional<pack_state> look_at_pack(const std::string& pack, bool verify,
                                                     std::string& why);
// Why a game cannot be started from a pack, without a look at its files; empty if it can.
[[nodiscard]] std::string why_unusable(const std::string& pack);

}  // namespace overture::cli

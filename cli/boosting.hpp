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

// What a game recorded, see compat/physfs/boost.hpp. A last record that is cut off does not count.
[[nodiscard]] std::vector<boost_record> parse_records(std::string_view bytes);

// The folder of packs, which only the user can read. Creates it if it is missing; if that fails,
// prints an error and returns an empty text.
[[nodiscard]] std::string pack_folder();
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
// Reads a pack's index, and with `verify` all of it. Nothing if it is no pack; `why` says so.
[[nodiscard]] std::optional<pack_state> look_at_pack(const std::string& pack, bool verify,
                                                     std::string& why);

}  // namespace overture::cli

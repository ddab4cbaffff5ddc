// SPDX-License-Identifier: Zlib
//
// Where the bytes of one file are stored: enough to read, unpack and verify it.
//
//   result<opened_file> file = files.open("maps/rome.txt"_path);
//   if (!file) return report(file.error());
//   const file_place& place = file->place();  // read place.read_bytes at place.offset
//
// A file_system fills these in (vfs/file_system.hpp) and a read_queue reads them
// (io/read_queue.hpp). A file_place is plain data: copy it freely, but it is only valid while the
// opened_file it came from lives.
#pragma once

#include <cstdint>

#include "overture/base/source_id.hpp"
#include "overture/io/unpack.hpp"

namespace overture {

struct file_place {
  source_id source;                        // the archive, or the loose file itself
  std::uint64_t offset = 0;                // in the source, in bytes
  std::uint64_t read_bytes = 0;            // how much to read at `offset`
  std::uint64_t packed_bytes = 0;          // size as stored
  std::uint64_t bytes = 0;                 // size unpacked
  std::uint32_t crc32 = 0;                 // of the unpacked bytes, if has_crc
  compression method = compression::none;  // how to unpack them
  bool has_crc = false;                    // verify crc32 after unpacking
  // read_bytes includes the archive's own header in front of the packed bytes: pass what was read
  // to file_system::packed_part().
  bool framed = false;
};

}  // namespace overture

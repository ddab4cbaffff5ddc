// Where a file lies in a folder or archive: enough to read it, unpack it and verify it.
//
//   result<opened_file> file = files.open("maps/rome.txt"_path);
//   const file_place& place = file->place();       // read place.read_bytes at place.offset
//
// A file_system makes these (vfs/file_system.hpp); a read_queue reads them (io/read_queue.hpp).
#pragma once

#include <cstdint>

#include "overture/base/source_id.hpp"
#include "overture/io/unpack.hpp"

namespace overture {

// Where the bytes of one file lie, and how to make the file of them.
struct file_place {
  source_id source;
  std::uint64_t offset = 0;        // where to read in the source
  std::uint64_t read_bytes = 0;    // how much to read there: the packed file and, in front of it,
                                   // the archive's header if `framed`
  std::uint64_t packed_bytes = 0;  // the file as it is stored
  std::uint64_t bytes = 0;         // the file unpacked
  std::uint32_t crc32 = 0;
  compression method = compression::none;
  bool has_crc = false;  // crc32 is known beforehand and must be met
  bool framed = false;   // pass what was read to packed_part()
};

}  // namespace overture

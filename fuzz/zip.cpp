// Any bytes as an archive: mounting refuses it or makes a tree, every file of which can be read or
// fails with an error, and a file that is read has the size that the tree tells.
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "overture/allocator.hpp"
#include "overture/blob.hpp"
#include "overture/file_system.hpp"
#include "overture/path.hpp"

namespace {

using namespace overture;

// The input under a path that the file system can open.
class memory_file {
 public:
  memory_file(const std::uint8_t* data, std::size_t size)
      : descriptor_(memfd_create("archive", MFD_CLOEXEC)) {
    if (descriptor_ < 0 || write(descriptor_, data, size) != static_cast<ssize_t>(size)) {
      std::abort();
    }
    std::snprintf(path_, sizeof(path_), "/proc/self/fd/%d", descriptor_);
  }
  ~memory_file() { close(descriptor_); }
  memory_file(const memory_file&) = delete;
  memory_file& operator=(const memory_file&) = delete;

  [[nodiscard]] const char* path() const { return path_; }

 private:
  int descriptor_;
  char path_[64];
};

void load_all(const char* archive, allocator& memory) {
  file_system files{{.memory = &memory}};
  if (!files.mount(archive) || !files.freeze()) return;
  buffer_pool buffers{{.memory = &memory}};
  for (entry_index i = 0; i < files.entry_count(); ++i) {
    const entry_info entry = files.entry(i);
    const asset_path path{entry.path, entry.id};
    if (path_flaw(entry.path) != nullptr || !files.find(path)) std::abort();
    const result<opened_file> opened = files.open(i);
    const result<blob> bytes = files.read_all(path, buffers);
    if (bytes && (!opened || bytes->size() != opened->place().bytes)) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const memory_file archive(data, size);
  tracking_allocator memory;
  load_all(archive.path(), memory);
  if (memory.total().bytes != 0) std::abort();
  return 0;
}

// SPDX-License-Identifier: Zlib
#include "memory.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "errors.hpp"

namespace physfs {
namespace {

PHYSFS_Allocator functions_in_use{};
bool has_functions = false;

constexpr std::size_t natural_alignment = alignof(std::max_align_t);

// Overture asks for more alignment than the functions promise: the start of the block is kept in
// front of what it gets.
class hooked_allocator final : public overture::allocator {
 public:
  void* allocate(std::size_t bytes, std::size_t alignment,
                 overture::memory_tag tag) noexcept override {
    if (!has_functions) return overture::default_allocator().allocate(bytes, alignment, tag);
    if (alignment <= natural_alignment) return functions_in_use.Malloc(bytes);
    if (bytes > SIZE_MAX - alignment - sizeof(void*)) return nullptr;
    void* const start = functions_in_use.Malloc(bytes + alignment + sizeof(void*));
    if (!start) return nullptr;
    const auto first = reinterpret_cast<std::uintptr_t>(start) + sizeof(void*);
    auto* const aligned = reinterpret_cast<void**>((first + alignment - 1) & ~(alignment - 1));
    aligned[-1] = start;
    return static_cast<void*>(aligned);
  }

  void deallocate(void* memory, std::size_t bytes, std::size_t alignment,
                  overture::memory_tag tag) noexcept override {
    if (!memory) return;
    if (!has_functions) {
      overture::default_allocator().deallocate(memory, bytes, alignment, tag);
    } else if (alignment <= natural_alignment) {
      functions_in_use.Free(memory);
    } else {
      functions_in_use.Free(static_cast<void**>(memory)[-1]);
    }
  }
};

}  // namespace

void* allocate(std::size_t bytes) noexcept {
  void* const found = has_functions ? functions_in_use.Malloc(bytes) : std::malloc(bytes);
  if (!found) set_error(PHYSFS_ERR_OUT_OF_MEMORY);
  return found;
}

void deallocate(void* memory) noexcept {
  if (!memory) return;
  if (has_functions) {
    functions_in_use.Free(memory);
  } else {
    std::free(memory);
  }
}

overture::allocator& memory() noexcept {
  static hooked_allocator instance;
  return instance;
}

void use_allocator(const PHYSFS_Allocator* functions) noexcept {
  has_functions = functions != nullptr;
  functions_in_use = functions ? *functions : PHYSFS_Allocator{};
}

const PHYSFS_Allocator* allocator_in_use() noexcept {
  static constexpr PHYSFS_Allocator standard{
      nullptr, nullptr, [](PHYSFS_uint64 bytes) { return std::malloc(bytes); },
      [](void* memory, PHYSFS_uint64 bytes) { return std::realloc(memory, bytes); },
      [](void* memory) { std::free(memory); }};
  return has_functions ? &functions_in_use : &standard;
}

char* copy_text(std::string_view text) noexcept {
  char* const copy = static_cast<char*>(allocate(text.size() + 1));
  if (!copy) return nullptr;
  if (!text.empty()) std::memcpy(copy, text.data(), text.size());
  copy[text.size()] = '\0';
  return copy;
}

bool text_list::push(std::string_view text) noexcept {
  const std::size_t at = bytes_.size();
  constexpr char end = '\0';
  return offsets_.push(at) && bytes_.append(text.data(), text.size()) && bytes_.push(end);
}

void text_list::sort_unique() noexcept {
  const char* const texts = bytes_.data();
  std::sort(offsets_.begin(), offsets_.end(), [texts](std::size_t left, std::size_t right) {
    return std::strcmp(texts + left, texts + right) < 0;
  });
  const std::size_t* const last =
      std::unique(offsets_.begin(), offsets_.end(), [texts](std::size_t left, std::size_t right) {
        return std::strcmp(texts + left, texts + right) == 0;
      });
  offsets_.shorten(static_cast<std::size_t>(last - offsets_.begin()));
}

char** text_list::released() const noexcept {
  const std::size_t table = (offsets_.size() + 1) * sizeof(char*);
  char** const block = static_cast<char**>(allocate(table + bytes_.size()));
  if (!block) return nullptr;
  char* const texts = reinterpret_cast<char*>(block) + table;
  if (bytes_.size() > 0) std::memcpy(texts, bytes_.data(), bytes_.size());
  for (std::size_t i = 0; i < offsets_.size(); ++i) block[i] = texts + offsets_.data()[i];
  block[offsets_.size()] = nullptr;
  return block;
}

}  // namespace physfs

// SPDX-License-Identifier: Zlib
//
// Mutates files by their structure.
//
// A flipped bit in a file with checksums and offsets is nearly always refused by the first check.
// So a model of the format reads a file into fields, as well as it can. One or a few fields are
// changed, and the model writes a file whose lengths, offsets and checksums fit again. Most of
// these files are valid, or wrong in one place only. Now and then one derived number is wrong on
// purpose.
//
// A model is a class with
//
//   bool read(std::string_view bytes);          false: not this format at all
//   void list_fields(field_list& fields);       everything that may change
//   std::string write(liar& lies) const;        passes each derived number through lies
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace overture::fuzz {

// Numbers that follow from a seed.
class chance {
 public:
  explicit chance(std::uint64_t seed) : state_(seed) {}
  std::uint64_t bits();
  std::size_t below(std::size_t count) { return bits() % count; }
  bool one_in(std::size_t count) { return below(count) == 0; }

 private:
  std::uint64_t state_;
};

// Changes the bytes in place and returns their new number: LLVMFuzzerMutate, or a test's own.
using byte_mutator = std::size_t (*)(std::uint8_t* bytes, std::size_t size, std::size_t size_max);

// Changes single fields.
class field_mutator {
 public:
  field_mutator(chance& random, byte_mutator mutate_bytes)
      : random_(random), mutate_bytes_(mutate_bytes) {}

  [[nodiscard]] chance& random() const { return random_; }
  void text(std::string& bytes, std::size_t size_max = 4096);
  // Keeps the size.
  void fixed(std::string& bytes, std::size_t at, std::size_t count);
  template <std::unsigned_integral T>
  void number(T& value) {
    value = static_cast<T>(changed(value, sizeof(T)));
  }

 private:
  std::uint64_t changed(std::uint64_t value, std::size_t width);

  chance& random_;
  byte_mutator mutate_bytes_;
};

// What may be changed in a file. References must stay valid until the change.
class field_list {
 public:
  using change = std::function<void(field_mutator&)>;

  void add(change how) { all_.push_back(std::move(how)); }
  void text(std::string& bytes);
  void flag(bool& value);
  template <std::unsigned_integral T>
  void number(T& value) {
    add([&value](field_mutator& by) { by.number(value); });
  }
  // A number that has a few known meanings. `known` must be static.
  template <std::unsigned_integral T>
  void one_of(T& value, std::span<const T> known) {
    add([&value, known](field_mutator& by) {
      if (by.random().one_in(8)) return by.number(value);
      value = known[by.random().below(known.size())];
    });
  }
  // Repeats, removes or moves an item.
  template <class Item>
  void items(std::vector<Item>& list) {
    add([&list](field_mutator& by) { change_items(list, by.random()); });
  }

  [[nodiscard]] bool empty() const { return all_.empty(); }
  void change_one(field_mutator& by) const { all_[by.random().below(all_.size())](by); }

 private:
  static constexpr std::size_t items_max = 64;

  template <class Item>
  static void change_items(std::vector<Item>& list, chance& random) {
    if (list.empty()) return;
    const std::size_t from = random.below(list.size());
    const std::size_t to = random.below(list.size());
    switch (random.below(3)) {
      case 0:
        if (list.size() < items_max) {
          Item copy = list[from];
          list.insert(list.begin() + static_cast<std::ptrdiff_t>(to), std::move(copy));
        }
        break;
      case 1:
        if (list.size() > 1) list.erase(list.begin() + static_cast<std::ptrdiff_t>(from));
        break;
      default:
        std::swap(list[from], list[to]);
    }
  }

  std::vector<change> all_;
};

// Falsifies at most one of the numbers that pass through it.
class liar {
 public:
  static constexpr std::size_t never = SIZE_MAX;
  liar(field_mutator& by, std::size_t turn) : by_(by), turn_(turn) {}
  template <std::unsigned_integral T>
  T operator()(T value) {
    if (turn_-- == 0) by_.number(value);
    return value;
  }

 private:
  field_mutator& by_;
  std::size_t turn_;
};

// Reads numbers of any width. Past the end, numbers are 0 and texts are cut.
class field_reader {
 public:
  explicit field_reader(std::string_view bytes, std::size_t at = 0)
      : bytes_(bytes), at_(at < bytes.size() ? at : bytes.size()) {}
  std::uint64_t little(std::size_t width);
  std::uint64_t big(std::size_t width);
  std::string_view text(std::uint64_t bytes);
  [[nodiscard]] std::size_t at() const { return at_; }
  [[nodiscard]] std::size_t left() const { return bytes_.size() - at_; }
  // Whether anything was read past the end.
  [[nodiscard]] bool cut() const { return cut_; }
  void give_up() { cut_ = true; }

 private:
  std::string_view bytes_;
  std::size_t at_;
  bool cut_ = false;
};

void append_little(std::string& to, std::uint64_t value, std::size_t width);
void append_big(std::string& to, std::uint64_t value, std::size_t width);

// Empty if the bytes cannot be unpacked to at most `bytes_max`.
enum class deflate_frame { none, zlib };
std::string inflated(std::string_view packed, deflate_frame frame, std::size_t bytes_max);
std::string deflated(std::string_view bytes, deflate_frame frame);
std::uint32_t crc32_of(std::string_view bytes);

// The mutated bytes. Empty if the model cannot read them, or they would get too large.
template <class Model>
std::string mutate_by(std::string_view bytes, std::size_t size_max, unsigned seed,
                      byte_mutator mutate_bytes) {
  Model file;
  if (!file.read(bytes)) return {};
  chance random(seed);
  field_mutator by(random, mutate_bytes);
  for (std::size_t i = 1 + (random.one_in(2) ? random.below(4) : 0); i-- > 0;) {
    field_list fields;
    file.list_fields(fields);
    if (fields.empty()) return {};
    fields.change_one(by);
  }
  static constexpr std::size_t turns = 32;
  liar lies(by, random.one_in(8) ? random.below(turns) : liar::never);
  std::string written = file.write(lies);
  return written.size() <= size_max ? written : std::string();
}

}  // namespace overture::fuzz

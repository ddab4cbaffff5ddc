// SPDX-License-Identifier: Zlib
//
// PNG: chunks, their lengths and checksums. The pixels are unpacked, changed and packed again.
#include <algorithm>
#include <array>

#include "mutators/mutators.hpp"

namespace overture::fuzz {
namespace {

constexpr std::string_view signature("\x89PNG\r\n\x1A\n", 8);
constexpr std::size_t header_bytes = 13;
constexpr std::size_t pixels_bytes_max = 1u << 16;
constexpr std::array<std::string_view, 19> kinds{
    "IHDR", "PLTE", "IDAT", "IEND", "tRNS", "gAMA", "cHRM", "sRGB", "iCCP", "sBIT",
    "tEXt", "zTXt", "iTXt", "bKGD", "hIST", "pHYs", "sPLT", "tIME", "eXIf"};
constexpr std::array<std::uint8_t, 5> depths{1, 2, 4, 8, 16};
constexpr std::array<std::uint8_t, 5> colour_types{0, 2, 3, 4, 6};
constexpr std::array<std::uint8_t, 2> interlaces{0, 1};

struct chunk {
  std::string kind;
  std::string data;
};

struct image_header {
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  std::uint8_t depth = 0;
  std::uint8_t colour_type = 0;
  std::uint8_t interlace = 0;

  // The bytes of `columns` pixels of each of `rows` rows, with a filter byte in front of each.
  [[nodiscard]] std::uint64_t bytes_of(std::uint64_t columns, std::uint64_t rows) const {
    static constexpr std::uint8_t channels_of[7] = {1, 1, 3, 1, 2, 1, 4};
    const std::uint64_t channels = colour_type < 7 ? channels_of[colour_type] : 1;
    return columns == 0 ? 0 : rows * (1 + (columns * channels * depth + 7) / 8);
  }
  [[nodiscard]] std::uint64_t pixels_bytes() const {
    if (interlace == 0) return bytes_of(width, height);
    static constexpr struct {
      std::uint8_t x, y, step_x, step_y;
    } passes[] = {{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4},
                  {0, 2, 2, 4}, {1, 0, 2, 2}, {0, 1, 1, 2}};
    std::uint64_t bytes = 0;
    for (const auto& pass : passes) {
      if (width <= pass.x || height <= pass.y) continue;
      bytes += bytes_of((std::uint64_t{width} - pass.x + pass.step_x - 1) / pass.step_x,
                        (std::uint64_t{height} - pass.y + pass.step_y - 1) / pass.step_y);
    }
    return bytes;
  }
};

class png_model {
 public:
  bool read(std::string_view bytes);
  void list_fields(field_list& fields);
  std::string write(liar& lies) const;

 private:
  chunk* header() {
    const bool there = !chunks_.empty() && chunks_[0].data.size() == header_bytes;
    return there ? &chunks_[0] : nullptr;
  }
  [[nodiscard]] std::string packed_pixels() const;
  void change_header(field_mutator& by);
  void change_pixels(field_mutator& by);
  // Makes the pixels as many as the header says.
  void fit_pixels(std::string pixels, const image_header& to, field_mutator& by);
  static void pack_text(chunk& into, field_mutator& by);

  std::vector<chunk> chunks_;
  std::string tail_;
};

bool png_model::read(std::string_view bytes) {
  if (!bytes.starts_with(signature)) return false;
  field_reader in(bytes, signature.size());
  while (in.left() >= 12) {
    const std::uint64_t size = in.big(4);
    chunk each{std::string(in.text(4)), std::string(in.text(size))};
    (void)in.text(4);
    chunks_.push_back(std::move(each));
  }
  tail_ = in.text(in.left());
  return true;
}

image_header header_of(const chunk& from) {
  field_reader in(from.data);
  image_header header;
  header.width = static_cast<std::uint32_t>(in.big(4));
  header.height = static_cast<std::uint32_t>(in.big(4));
  header.depth = static_cast<std::uint8_t>(in.big(1));
  header.colour_type = static_cast<std::uint8_t>(in.big(1));
  (void)in.big(2);
  header.interlace = static_cast<std::uint8_t>(in.big(1));
  return header;
}

std::string png_model::packed_pixels() const {
  std::string packed;
  for (const chunk& each : chunks_) {
    if (each.kind == "IDAT") packed += each.data;
  }
  return packed;
}

void png_model::fit_pixels(std::string pixels, const image_header& to, field_mutator& by) {
  pixels.resize(std::min<std::uint64_t>(to.pixels_bytes(), pixels_bytes_max));
  std::string packed = deflated(pixels, deflate_frame::zlib);
  std::erase_if(chunks_, [](const chunk& each) { return each.kind == "IDAT"; });
  const std::size_t end = chunks_.size() - (!chunks_.empty() && chunks_.back().kind == "IEND");
  const std::size_t first = by.random().one_in(4) ? by.random().below(packed.size() + 1) : 0;
  std::vector<chunk> data{{"IDAT", packed.substr(first)}};
  if (first > 0) data.insert(data.begin(), {"IDAT", packed.substr(0, first)});
  chunks_.insert(chunks_.begin() + static_cast<std::ptrdiff_t>(end), data.begin(), data.end());
}

void png_model::change_header(field_mutator& by) {
  chunk* const first = header();
  if (!first) return;
  image_header changed = header_of(*first);
  field_list fields;
  for (std::uint32_t* const side : {&changed.width, &changed.height}) {
    fields.number(*side);
    fields.add([side](field_mutator& one) {
      *side = 1 + static_cast<std::uint32_t>(one.random().below(40));
    });
  }
  fields.one_of<std::uint8_t>(changed.depth, depths);
  fields.one_of<std::uint8_t>(changed.colour_type, colour_types);
  fields.one_of<std::uint8_t>(changed.interlace, interlaces);
  fields.change_one(by);
  const std::string pixels = inflated(packed_pixels(), deflate_frame::zlib, pixels_bytes_max);
  const std::string method_bytes = first->data.substr(10, 2);
  first->data.clear();
  append_big(first->data, changed.width, 4);
  append_big(first->data, changed.height, 4);
  append_big(first->data, changed.depth, 1);
  append_big(first->data, changed.colour_type, 1);
  first->data += method_bytes;
  append_big(first->data, changed.interlace, 1);
  if (!by.random().one_in(4)) fit_pixels(pixels, changed, by);
}

void png_model::change_pixels(field_mutator& by) {
  const chunk* const first = header();
  std::string pixels = inflated(packed_pixels(), deflate_frame::zlib, pixels_bytes_max);
  if (!first || pixels.empty()) return;
  by.text(pixels, pixels_bytes_max);
  fit_pixels(pixels, header_of(*first), by);
}

// A compressed text or profile: a name, what says that it is compressed, packed bytes.
void png_model::pack_text(chunk& into, field_mutator& by) {
  static constexpr std::string_view compressed("\0\0", 2);
  static constexpr std::string_view compressed_international("\0\1\0\0\0", 5);
  std::string text(by.random().below(100), 'a');
  by.text(text);
  into.data.resize(std::min(into.data.find('\0'), into.data.size()));
  into.data += into.kind == "iTXt" ? compressed_international : compressed;
  into.data += deflated(text, deflate_frame::zlib);
}

void png_model::list_fields(field_list& fields) {
  fields.items(chunks_);
  fields.text(tail_);
  for (int weight = 0; weight < 4; ++weight) {
    fields.add([this](field_mutator& by) { change_header(by); });
    fields.add([this](field_mutator& by) { change_pixels(by); });
  }
  fields.add([this](field_mutator& by) {  // a chunk of another kind in front of one that is there
    if (chunks_.empty()) return;
    const std::size_t at = by.random().below(chunks_.size());
    const chunk made{std::string(kinds[by.random().below(kinds.size())]), chunks_[at].data};
    chunks_.insert(chunks_.begin() + static_cast<std::ptrdiff_t>(at), made);
  });
  for (chunk& each : chunks_) {
    const bool refused_easily = each.kind == "IHDR" || each.kind == "IDAT";
    fields.add([&each, refused_easily](field_mutator& by) {
      if (refused_easily && !by.random().one_in(4)) return;
      if (by.random().one_in(2)) return by.text(each.data);
      by.fixed(each.data, 0, each.data.size());
    });
    fields.add([&each](field_mutator& by) {
      if (each.kind == "zTXt" || each.kind == "iCCP" || each.kind == "iTXt") {
        pack_text(each, by);
      } else if (by.random().one_in(8)) {
        by.fixed(each.kind, 0, 4);
      }
    });
  }
}

std::string png_model::write(liar& lies) const {
  std::string bytes(signature);
  for (const chunk& each : chunks_) {
    std::string kind = each.kind;
    kind.resize(4);
    append_big(bytes, lies(static_cast<std::uint32_t>(each.data.size())), 4);
    bytes += kind + each.data;
    append_big(bytes, lies(crc32_of(kind + each.data)), 4);
  }
  return bytes + tail_;
}

}  // namespace

std::string mutate_png(std::string_view bytes, std::size_t size_max, unsigned seed,
                       byte_mutator mutate_bytes) {
  return mutate_by<png_model>(bytes, size_max, seed, mutate_bytes);
}

}  // namespace overture::fuzz

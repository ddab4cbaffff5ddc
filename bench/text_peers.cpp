// SPDX-License-Identifier: Zlib
#include "text_peers.hpp"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <execution>
#include <iterator>
#include <numeric>
#include <string_view>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wshadow"
#define STB_SPRINTF_IMPLEMENTATION
#include <stb/stb_sprintf.h>
#ifdef BENCH_NANOPRINTF
#define NANOPRINTF_IMPLEMENTATION
#define NANOPRINTF_VISIBILITY_STATIC
#define NANOPRINTF_USE_FIELD_WIDTH_FORMAT_SPECIFIERS 1
#define NANOPRINTF_USE_PRECISION_FORMAT_SPECIFIERS 1
#define NANOPRINTF_USE_FLOAT_FORMAT_SPECIFIERS 1
#define NANOPRINTF_USE_SMALL_FORMAT_SPECIFIERS 1
#define NANOPRINTF_USE_LARGE_FORMAT_SPECIFIERS 1
#define NANOPRINTF_USE_BINARY_FORMAT_SPECIFIERS 0
#define NANOPRINTF_USE_WRITEBACK_FORMAT_SPECIFIERS 0
#include <nanoprintf.h>
#endif
#pragma GCC diagnostic pop

namespace bench {
namespace {

constexpr int text_bytes_max = 64;

char letter(const unit& each) {
  return each.enabled ? 'y' : 'n';
}

template <class Write>
std::size_t write_all(const army& units, char* out, Write write_one) {
  char* at = out;
  units.for_each([&](const unit& each) { at = write_one(at, each); });
  return static_cast<std::size_t>(at - out);
}

char* with_snprintf(char* at, const unit& each) {
  return at + std::snprintf(at, text_bytes_max, "%c %.2f\n", letter(each),
                            static_cast<double>(each.speed));
}

char* with_to_chars(char* at, const unit& each) {
  *at++ = letter(each);
  *at++ = ' ';
  at = std::to_chars(at, at + text_bytes_max, each.speed, std::chars_format::fixed, 2).ptr;
  *at++ = '\n';
  return at;
}

}  // namespace

const std::vector<formatter>& formatters() {
  static const std::vector<formatter> all = {
      {"snprintf",
       [](const army& units, char* out) { return write_all(units, out, with_snprintf); }},
      {"std::to_chars",
       [](const army& units, char* out) { return write_all(units, out, with_to_chars); }},
      {"fmt compiled",
       [](const army& units, char* out) {
         return write_all(units, out, [](char* at, const unit& each) {
           return fmt::format_to(at, FMT_COMPILE("{} {:.2f}\n"), letter(each), each.speed);
         });
       }},
      {"stb_sprintf",
       [](const army& units, char* out) {
         return write_all(units, out, [](char* at, const unit& each) {
           return at + stbsp_snprintf(at, text_bytes_max, "%c %.2f\n", letter(each),
                                      static_cast<double>(each.speed));
         });
       }},
#ifdef BENCH_NANOPRINTF
      {"nanoprintf",
       [](const army& units, char* out) {
         return write_all(units, out, [](char* at, const unit& each) {
           return at + npf_snprintf(at, text_bytes_max, "%c %.2f\n", letter(each),
                                    static_cast<double>(each.speed));
         });
       }},
#endif
  };
  return all;
}

std::size_t classic_loop(const army& units, char* out) {
  // The longest line: a sign, 39 digits, a point, two decimals, and the text around them.
  constexpr std::size_t object_bytes = 46;
  std::vector<std::size_t> pages(units.page_count());
  std::vector<std::size_t> bytes(units.page_count());
  std::iota(pages.begin(), pages.end(), std::size_t{0});
  std::for_each(std::execution::par, pages.begin(), pages.end(), [&](std::size_t page) {
    char* const slot = out + page * army::page_size * object_bytes;
    char* at = slot;
    units.page_at(page).for_each([&](const unit& each) { at = with_snprintf(at, each); });
    bytes[page] = static_cast<std::size_t>(at - slot);
  });
  std::size_t used = 0;
  for (const std::size_t page : pages) {
    std::memmove(out + used, out + page * army::page_size * object_bytes, bytes[page]);
    used += bytes[page];
  }
  return used;
}

void read_with_sscanf(const char* text, std::size_t count, army& units) {
  for (std::size_t i = 0; i < count; ++i) {
    // Copies the line, because sscanf takes the length of all of the text on every call.
    const char* const end = std::strchr(text, '\n');
    char line[text_bytes_max];
    const auto bytes = std::min<std::size_t>(static_cast<std::size_t>(end - text), sizeof line - 1);
    std::memcpy(line, text, bytes);
    line[bytes] = '\0';
    char letter_read = 0;
    float speed = 0;
    if (std::sscanf(line, "%c %f", &letter_read, &speed) != 2) return;
    (void)units.add(letter_read == 'y', speed);
    text = end + 1;
  }
}

void read_with_strtof(const char* text, std::size_t count, army& units) {
  for (std::size_t i = 0; i < count; ++i) {
    const bool enabled = *text == 'y';
    char* end = nullptr;
    const float speed = std::strtof(text + 2, &end);
    (void)units.add(enabled, speed);
    text = end + 1;
  }
}

namespace {

// Enough for the texts of this benchmark, which are ASCII without control characters.
char* escape(char* out, std::string_view text) {
  for (const char c : text) {
    if (c == '"' || c == '\\') *out++ = '\\';
    *out++ = c;
  }
  return out;
}

}  // namespace

char* write_json_with_fmt(char* out, const hero& each) {
  out = fmt::format_to(out, FMT_COMPILE("{{\"name\":\""));
  out = escape(out, each.name);
  out = fmt::format_to(out, FMT_COMPILE("\",\"gold\":{},\"inventory\":["), each.gold);
  for (const stack& item : each.inventory) {
    if (out[-1] != '[') *out++ = ',';
    out = fmt::format_to(out, FMT_COMPILE("{{\"id\":{},\"count\":{},\"wear\":{}}}"), item.id,
                         item.count, item.wear);
  }
  out = fmt::format_to(out, FMT_COMPILE("],\"quests\":{{"));
  for (const auto& [name, stage] : each.quests) {
    if (out[-1] != '{') *out++ = ',';
    *out++ = '"';
    out = escape(out, name);
    out = fmt::format_to(out, FMT_COMPILE("\":{}"), stage);
  }
  out = fmt::format_to(out, FMT_COMPILE("}},\"seen\":["));
  for (const std::uint32_t id : each.seen) {
    if (out[-1] != '[') *out++ = ',';
    out = fmt::format_to(out, FMT_COMPILE("{}"), id);
  }
  return fmt::format_to(out, FMT_COMPILE("],\"at\":{{\"x\":{},\"y\":{}}}}}\n"), each.at.x,
                        each.at.y);
}

char* write_script_with_fmt(char* out, const soldier& each) {
  static constexpr const char* arms[] = {"foot", "horse", "artillery", "ship"};
  char title[2 * sizeof each.title + 1];
  char* const at = escape(title, each.title);
  const auto& orders = each.orders;
  return fmt::format_to(
      out,
      FMT_COMPILE("unit={{ id={} gold={} enabled={} kind={} speed={} morale={} experience={} "
                  "title=\"{}\" at={{ x={} y={} }} orders={{ {} {} {} {} }} owner={:x} "
                  "level={} }}\n"),
      each.id, each.gold, each.enabled ? "yes" : "no", arms[static_cast<std::size_t>(each.kind)],
      each.speed, each.morale, each.experience,
      std::string_view(title, static_cast<std::size_t>(at - title)), each.at.x, each.at.y,
      orders[0], orders[1], orders[2], orders[3], each.owner, static_cast<unsigned>(each.level));
}

}  // namespace bench

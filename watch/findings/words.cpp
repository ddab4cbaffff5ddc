// SPDX-License-Identifier: Zlib
#include "watch/findings/words.hpp"

#include <fmt/core.h>

#include <string_view>

#include "report/words/units.hpp"

namespace overture::watch {

namespace {

constexpr std::size_t told_max = 3;

// " and 1 more place"
std::string and_more(std::size_t all, const char* one, const char* several) {
  if (all <= told_max) return {};
  const std::size_t more = all - told_max;
  return fmt::format(" and {} more{}", report_detail::grouped(more), more == 1 ? one : several);
}

}  // namespace

std::string thread_words(const watched_process& process, std::uint32_t thread) {
  const watched_thread& of = process.threads[thread];
  if (of.is_main) return "the main thread";
  const std::string name = of.name.empty() ? std::to_string(of.number) : of.name;
  return fmt::format("thread {}", name);
}

std::string places_words(const watched_process& process,
                         const std::map<std::uint64_t, std::uint64_t>& ns_by_caller) {
  std::string text;
  std::size_t count = 0;
  for (const auto& [caller, ns] : largest_first(ns_by_caller)) {
    if (count++ == told_max) break;
    text +=
        fmt::format("{}{} ({})", text.empty() ? "" : ", ", process.place_of(caller), time_text(ns));
  }
  return text + and_more(ns_by_caller.size(), " place", " places");
}

std::string names_words(const watched_process& process,
                        const std::map<std::uint32_t, std::uint64_t>& by_name,
                        std::string (*text_of)(std::uint64_t)) {
  std::string text;
  std::size_t count = 0;
  for (const auto& [name, number] : largest_first(by_name)) {
    if (count++ == told_max) break;
    const std::string_view path = process.name(name);
    text += fmt::format("{}{} ({})", text.empty() ? "" : ", ",
                        path.empty() ? std::string_view("an unknown file") : path, text_of(number));
  }
  return text + and_more(by_name.size(), "", "");
}

std::string count_text(std::uint64_t number) {
  return report_detail::grouped(number);
}
std::string share_text(std::uint64_t ns, std::uint64_t of_ns) {
  return report_detail::human_percent(static_cast<double>(ns) /
                                      static_cast<double>(std::max<std::uint64_t>(of_ns, 1)));
}
std::string time_text(std::uint64_t ns) {
  return report_detail::human_time(ns);
}
std::string bytes_text(std::uint64_t bytes) {
  return report_detail::human_bytes(static_cast<double>(bytes));
}

}  // namespace overture::watch

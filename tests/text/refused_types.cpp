// SPDX-License-Identifier: Zlib
//
// Types that must not compile as text, one per -DREFUSED=N. Case 0 is similar and must compile.
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "overture/text/read.hpp"
#include "overture/text/write.hpp"

namespace {

using namespace overture;

struct fits {
  int a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x;
};
struct one_too_many {
  int a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y;
};
struct place {
  int x, y;
};
struct at_times {
  std::optional<place> at;
};
struct talker {
  std::string motto;
};
enum class weapon : char { none, sword };
constexpr auto names(text::of<weapon> /*type*/) {
  return text::name_list(text::name("none", weapon::none), text::name("sword", weapon::sword));
}
struct may_be_armed {
  std::optional<weapon> with;
};
struct misnamed {
  int x;
};
constexpr auto fields(text::of<misnamed> /*type*/) {
#if REFUSED == 4
  return text::field_list(text::field("two words", &misnamed::x));
#elif REFUSED == 5
  return text::field_list(text::field("", &misnamed::x));
#else
  return text::field_list(text::field("one_word", &misnamed::x));
#endif
}

enum class rank : char { low, high };
constexpr auto names(text::of<rank> /*type*/) {
#if REFUSED == 9
  return text::name_list(text::name("very low", rank::low), text::name("high", rank::high));
#elif REFUSED == 10
  return text::name_list(text::name("high", rank::low), text::name("high", rank::high));
#else
  // A value with two names: both can be read.
  return text::name_list(text::name("low", rank::low), text::name("high", rank::high),
                         text::name("highest", rank::high));
#endif
}
struct ranked {
  rank of;
  float speed;
};
constexpr auto fields(text::of<ranked> /*type*/) {
#if REFUSED == 11
  return text::field_list(text::field("of", &ranked::of), text::field("of", &ranked::speed));
#elif REFUSED == 12
  return text::field_list(text::field("of", &ranked::of),
                          text::field("speed", &ranked::speed, text::hex{}));
#else
  return text::field_list(text::field("of", &ranked::of),
                          text::field("speed", &ranked::speed, text::shortest{}));
#endif
}
struct pointing {
  int* at;
};
struct pointing_often {
  std::vector<int*> all;
};
struct listing {
  std::vector<int> all;
};
struct mapping {
  std::map<int, int> all;
};
struct choosing {
  std::variant<place, talker> one;
};
struct choosing_numbers {
  std::variant<int, unsigned> one;
};
struct maybe_choosing {
  std::optional<std::variant<std::monostate, place>> one;
};
struct by_float {
  std::map<float, int> all;
};
struct viewing {
  std::string_view text;
};
using small_choice = std::variant<place, float>;
constexpr auto names(text::of<small_choice> /*type*/) {
#if REFUSED == 30
  return text::alternative_list("place");
#else
  return text::alternative_list("place", "height");
#endif
}
struct choosing_small {
  small_choice one;
};
struct hexed {
  std::vector<float> all;
};
constexpr auto fields(text::of<hexed> /*type*/) {
#if REFUSED == 32
  return text::field_list(text::field("all", &hexed::all, text::hex{}));
#else
  return text::field_list(text::field("all", &hexed::all, text::fixed<2>{}));
#endif
}
[[maybe_unused]] auto read_view(std::string_view text, paged<viewing>& objects) {
#if REFUSED == 29
  return text::read<text::json>(text, objects);
#else
  return text.size() + objects.size();
#endif
}
struct twice {
  std::optional<std::optional<int>> maybe;
};

union number {
  int whole;
  float broken;
};
struct counting {
  number count;
};
struct placed : place {
  int z;
};
struct nothing {};
struct empty_based : nothing {
  int z;
};
struct referring {
  int x;
  int& y;
};
struct with_a_track {
  std::optional<std::array<int, 2>> track;
};
enum class answer : bool { no, yes };
struct asking {
  answer got;
};
struct constant {
  const int id = 1;
};
[[maybe_unused]] auto read_constant(std::string_view text, paged<constant>& objects) {
#if REFUSED == 21
  return text::read<text::json>(text, objects);
#else
  return text.size() + objects.size();
#endif
}
// What reflection refuses can be described.
struct tagged : place {
  bool is_whole;
  union {
    int whole;
    float broken;
  };
};
constexpr auto fields(text::of<tagged> /*type*/) {
  return text::field_list(text::field("x", &tagged::x), text::field("is_whole", &tagged::is_whole),
                          text::field("whole", &tagged::whole));
}

[[maybe_unused]] char* write(char* out) {
  using text::write_object;
#if REFUSED == 1
  return write_object<text::json>(out, one_too_many{});
#elif REFUSED == 2
  return write_object<text::rows<>>(out, at_times{});
#elif REFUSED == 3
  return write_object<text::rows<>>(out, talker{});
#elif REFUSED == 6
  return write_object<text::script<>>(out, may_be_armed{weapon::none});
#elif REFUSED == 7
  return write_object<text::json>(out, pointing{});
#elif REFUSED == 8
  return write_object<text::json>(out, pointing_often{});
#elif REFUSED == 13
  return write_object<text::json>(out, twice{});
#elif REFUSED == 14
  return write_object<text::json>(out, counting{});
#elif REFUSED == 15
  return write_object<text::json>(out, placed{});
#elif REFUSED == 16
  return write_object<text::json>(out, empty_based{});
#elif REFUSED == 17
  int x = 0;
  return write_object<text::json>(out, referring{0, x});
#elif REFUSED == 18
  return write_object<text::json>(out, nothing{});
#elif REFUSED == 19
  return write_object<text::rows<>>(out, with_a_track{});
#elif REFUSED == 20
  return write_object<text::json>(out, asking{});
#elif REFUSED == 22
  return write_object<text::rows<>>(out, listing{});
#elif REFUSED == 23
  return write_object<text::rows<','>>(out, mapping{});
#elif REFUSED == 24
  return write_object<text::rows<>>(out, choosing{});
#elif REFUSED == 25
  return write_object<text::rows<>>(out, viewing{});
#elif REFUSED == 26
  return write_object<text::json>(out, choosing_numbers{});
#elif REFUSED == 27
  return write_object<text::json>(out, maybe_choosing{});
#elif REFUSED == 28
  return write_object<text::json>(out, by_float{});
#elif REFUSED == 30 || REFUSED == 32
  out = write_object<text::json>(out, choosing_small{});
  return write_object<text::json>(out, hexed{});
#elif REFUSED == 31
  (void)text::object_bytes_max<text::json, talker>();
  return out;
#else
  out = write_object<text::json>(out, listing{});
  out = write_object<text::json>(out, mapping{});
  out = write_object<text::json>(out, choosing{});
  out = write_object<text::json>(out, choosing_small{});
  out = write_object<text::json>(out, viewing{});
  out = write_object<text::json>(out, hexed{});
  out = write_object<text::json>(out, constant{});
  out = write_object<text::script<>>(out, with_a_track{});
  out = write_object<text::json>(out, tagged{});
  out = write_object<text::json>(out, ranked{});
  out = write_object<text::json>(out, may_be_armed{weapon::none});
  (void)text::object_bytes_max<text::json, misnamed>();
  out = write_object<text::script<>>(out, at_times{});
  return write_object<text::json>(out, fits{});
#endif
}

}  // namespace

// SPDX-License-Identifier: Zlib
//
// Describes a type once; all styles write and read it from that description.
//
//   enum class arm : std::uint8_t { foot, horse };
//   constexpr auto names(text::of<arm>) {
//     return text::name_list(text::name("foot", arm::foot), text::name("horse", arm::horse));
//   }
//
//   struct unit { bool enabled; float speed; arm kind; char title[16]; std::array<int, 3> at; };
//   constexpr auto fields(text::of<unit>) {
//     return text::field_list(text::field("enabled", &unit::enabled),
//                             text::field("speed", &unit::speed, text::fixed<2>{}),
//                             text::field("kind", &unit::kind),
//                             text::field("title", &unit::title),
//                             text::field("at", &unit::at));
//   }
//
// Declare fields() and names() in the namespace of the type: they are found by argument-dependent
// lookup.
//
// Members and their formats (the first is the default):
//   bool                            yes_no, y_n             JSON: true, false
//   integers                        decimal, hex            JSON: hex as "ff"
//   float, double                   shortest, fixed<N>      JSON: "nan", "inf" etc. in quotes
//   enums                           by name; by number if names() does not list the value
//   char[N], std::array<char, N>    quoted, up to the first NUL if there is one
//   convertible to string_view      quoted, of any length; quoted<Max>: a longer one is an error
//   a type with fields()            a nested block (script, JSON); one cell per field (rows)
//   an aggregate without fields()   the same, by the names of its members (see below)
//   T[N], std::array<T, N>          each element in the given format
//   optional<T>                     omitted if empty (script), "none" (arrays, rows), null (JSON)
//   std::vector<T> and the like     each element in the given format
//   std::map<K, T> and the like     a block: script { 7=... "iron ore"=... }, JSON {"7":...}; keys
//                                   are strings, integers or enums, values in the given format
//   std::variant<T...>              a block with the name of the alternative: script
//                                   { sword={ ... } }, JSON {"sword":{...}}; std::monostate as
//                                   "none", null (JSON)
//
// When reading, omitted fields keep their defaults. An optional in a script should therefore be
// empty by default. The enum of an optional must not have a value named "none", except in JSON.
//
// Vectors, maps, variants and strings without a maximum have no bound at compile time: text is
// sized by a pass of its own (text/write.hpp), and rows, which have a fixed number of cells, refuse
// all but strings with a maximum. Elements and values may be anything in the table, the type itself
// included: struct node { std::vector<node> children; }. Containers may be the host's own:
//
//   string   converts to string_view, noexcept. Reading: assign(const char*, std::size_t), as
//            std::string has, and without a maximum also append(), of the same arguments
//   vector   value_type, begin(), end(), size(); reading: clear(), push_back()
//   map      key_type, mapped_type, begin(), end(), size(); reading: clear(), try_emplace()
//
// Ordered maps, those with a key_compare, are written in their order, all others sorted by key.
// The alternatives of a variant are called as their types (without the namespace), or as names()
// says in the namespace of one of them, or in overture::text:
//
//   using weapon = std::variant<sword, bow, int>;
//   constexpr auto names(text::of<weapon>) {
//     return text::alternative_list("sword", "bow", "fists");
//   }
//
// Reading fills containers by their own allocators, those that T{} has. Where one throws
// std::bad_alloc, or push_back(), assign() or append() returns false, reading ends with
// out_of_memory. In a program without exceptions a standard container that gets no memory ends the
// program.
//
// Names are words: letters, digits, '_', '.', '-'. The names within a type must differ. An enum
// value may have several names; the first one is written.
//
// Aggregates without fields() are described by reflection, as if fields() listed every member under
// its own name, in order, in its default format:
//
//   struct unit { bool enabled; float speed; char title[16]; std::array<int, 3> at; };
//   text::write<text::script<"unit">>(units, buffer);  // unit={ enabled=yes speed=1.25 title=... }
//
// Reflection takes at most reflected_fields_max members, each initialisable with {}. It does not
// take base classes, references, bit-fields, anonymous unions, private members or constructors
// (such a type is no aggregate). Write fields() for those types: it can name members of bases and
// of anonymous unions, leave members out, choose formats and give strings their maximum. Compilers
// report bit-fields and anonymous unions in their own words: "cannot bind bit-field", "cannot
// decompose". Member names become part of your file format: renaming one changes the format.
//
// Cost: nothing at run time. Names and formats are constants; the compiler rejects what the table
// does not allow, and computes the most bytes an object can take, so that pages are written without
// bounds checks.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <tuple>
#include <type_traits>

#include "overture/text/detail/containers.hpp"
#include "overture/text/detail/reflect.hpp"
#include "overture/text/number.hpp"

namespace overture::text {

// Tags the type that fields() or names() describes.
template <class T>
struct of {};

// -- formats --

struct default_format {};  // the first format in the table above
struct yes_no {};          // yes, no
struct y_n {};             // y, n
struct hex {};             // as "%x"
template <int Decimals>
struct fixed {  // fixed<2> is "%.2f": rounds, so it does not read back exactly
  static constexpr int decimals = Decimals;
};
struct shortest {};  // the fewest digits that read back to the same bits
template <std::size_t Max>
struct quoted {  // a string of at most Max bytes
  static constexpr std::size_t bytes_max = Max;
};

// -- descriptions --

template <class Class, class Member, class Format>
struct field_of {
  using class_type = Class;
  using member_type = std::remove_const_t<Member>;
  using format_type = Format;

  std::string_view name;
  Member Class::* member;
};

// One field: its name in the text, the member, and optionally a format.
template <class Class, class Member, class Format = default_format>
[[nodiscard]] constexpr field_of<Class, Member, Format> field(std::string_view name,
                                                              Member Class::* member,
                                                              Format /*format*/ = {}) {
  return {name, member};
}

// What fields() returns: the fields in the order in which they are written.
template <class... Fields>
[[nodiscard]] constexpr std::tuple<Fields...> field_list(Fields... fields) {
  return {fields...};
}

template <class Enum>
struct name_of {
  std::string_view name;
  Enum value;
};

// One name of an enum value.
template <class Enum>
[[nodiscard]] constexpr name_of<Enum> name(std::string_view text, Enum value) {
  return {text, value};
}

// What names() returns.
template <class Enum, class... More>
[[nodiscard]] constexpr std::array<name_of<Enum>, 1 + sizeof...(More)> name_list(
    name_of<Enum> first, More... more) {
  return {first, more...};
}

// What names() returns for a variant: the names of all its alternatives, in order.
template <class... Names>
[[nodiscard]] constexpr std::array<std::string_view, sizeof...(Names)> alternative_list(
    Names... all) {
  return {all...};
}

// Whether a type has fields(), an enum names().
template <class T>
concept described = requires { fields(of<T>{}); };
template <class T>
concept named = std::is_enum_v<T> && requires { names(of<T>{}); };

// -- classification of members --

namespace detail {

template <class T>
inline constexpr auto name_table = names(of<T>{});

template <class T>
struct array_of : std::false_type {};
template <class T, std::size_t N>
struct array_of<T[N]> : std::true_type {
  using element = T;
  static constexpr std::size_t size = N;
};
template <class T, std::size_t N>
struct array_of<std::array<T, N>> : std::true_type {
  using element = T;
  static constexpr std::size_t size = N;
};

template <class T>
concept character_array = array_of<T>::value && std::is_same_v<typename array_of<T>::element, char>;
template <class T>
concept array = array_of<T>::value && !character_array<T>;
template <class T>
concept string = !character_array<T> && std::is_convertible_v<const T&, std::string_view>;
template <class T>
concept optional = !string<T> && requires(T& value) {
  typename T::value_type;
  { value.has_value() } -> std::same_as<bool>;
  value.reset();
  *value;
};

template <class T>
concept sequence = !described<T> && !string<T> && growable<T>;
template <class T>
concept map = !described<T> && associative<T>;

template <class Format>
inline constexpr bool is_quoted = false;
template <std::size_t Max>
inline constexpr bool is_quoted<quoted<Max>> = true;
template <class Format>
inline constexpr bool is_fixed = false;
template <int Decimals>
inline constexpr bool is_fixed<fixed<Decimals>> = true;

// Whether the table above allows this format for a member of type V.
template <class V, class Format>
constexpr bool allows_format() noexcept {
  if constexpr (std::is_same_v<Format, default_format>) {
    return true;
  } else if constexpr (array<V>) {
    return allows_format<typename array_of<V>::element, Format>();
  } else if constexpr (map<V>) {
    return allows_format<typename V::mapped_type, Format>();
  } else if constexpr (optional<V> || sequence<V>) {
    return allows_format<typename V::value_type, Format>();
  } else if constexpr (std::is_same_v<V, bool>) {
    return std::is_same_v<Format, yes_no> || std::is_same_v<Format, y_n>;
  } else if constexpr (integer<V>) {
    return std::is_same_v<Format, hex>;
  } else if constexpr (floating<V>) {
    return std::is_same_v<Format, shortest> || is_fixed<Format>;
  } else {
    return string<V> && is_quoted<Format>;
  }
}

// An aggregate without fields().
template <class T>
concept reflected = std::is_class_v<T> && std::is_aggregate_v<T> && !described<T> &&
                    !array_of<T>::value && !string<T> && !optional<T> && !sequence<T> && !map<T>;
template <class T>
concept block = described<T> || reflected<T>;

// A reflected member in place of a field_of.
template <class Class, std::size_t I>
struct reflected_field {
  using class_type = Class;
  using member_type = detail::member_type<Class, I>;
  using format_type = default_format;

  std::string_view name = member_name<Class, I>;
};
template <class T, std::size_t... I>
constexpr std::tuple<reflected_field<T, I>...> reflect(std::index_sequence<I...> /*all*/) {
  return {};
}
template <class T>
constexpr auto describe() {
  if constexpr (described<T>) {
    return fields(of<T>{});
  } else if constexpr (!reflected<T>) {
    static_assert(!std::is_union_v<T>,
                  "a union cannot be written, because only its owner knows the active member: give "
                  "the enclosing type fields() that leave it out");
    static_assert(block<T> || std::is_union_v<T>,
                  "this type has no fields() and is not an aggregate: see text/fields.hpp");
    return std::tuple<>();
  } else if constexpr (has_base<T>) {
    static_assert(!has_base<T>, "a type with a base class cannot be reflected: give it fields()");
    return std::tuple<>();
  } else if constexpr (member_count<T> == 0) {
    static_assert(
        member_count<T> != 0,
        "no members, or one that {} cannot initialise, such as a reference: give the type "
        "fields()");
    return std::tuple<>();
  } else if constexpr (member_count<T> > reflected_fields_max) {
    static_assert(member_count<T> <= reflected_fields_max,
                  "too many members to reflect: give the type fields()");
    return std::tuple<>();
  } else {
    return reflect<T>(std::make_index_sequence<member_count<T>>());
  }
}
template <class T>
inline constexpr auto description = describe<T>();
template <class T>
inline constexpr std::size_t field_count =
    std::tuple_size_v<std::remove_cvref_t<decltype(description<T>)>>;
template <class T, std::size_t I>
using field_at = std::tuple_element_t<I, std::remove_cvref_t<decltype(description<T>)>>;

// The member of this object that the I-th field describes.
template <std::size_t I, class T>
constexpr auto& member_of(T& object) noexcept {
  using type = std::remove_const_t<T>;
  if constexpr (described<type>) {
    return object.*(std::get<I>(description<type>).member);
  } else {
    return std::get<I>(tie_members<member_count<type>>(object));
  }
}

// The same, to be read into.
template <std::size_t I, class T>
constexpr auto& mutable_member(T& object) noexcept {
  auto& member = member_of<I>(object);
  static_assert(!std::is_const_v<std::remove_reference_t<decltype(member)>>,
                "a const member cannot be read into: leave it out of fields()");
  return member;
}

constexpr bool is_word_byte(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '.' || c == '-';
}
constexpr bool is_word(std::string_view text) noexcept {
  for (const char c : text) {
    if (!is_word_byte(c)) return false;
  }
  return !text.empty();
}

template <class V>
constexpr auto make_alternative_names() noexcept {
  if constexpr (requires { names(of<V>{}); }) {
    static_assert(names(of<V>{}).size() == alternatives_of<V>::size,
                  "names() of a variant must list all its alternatives, in order");
    return names(of<V>{});
  } else {
    return alternative_words<V>::all;
  }
}
template <class V>
inline constexpr auto alternative_names = make_alternative_names<V>();

// Whether the size of its text is known only at run time.
template <class V, class Format>
constexpr bool is_measured() noexcept;
template <class T, std::size_t... I>
constexpr bool has_measured_field(std::index_sequence<I...> /*all*/) noexcept {
  return (
      is_measured<typename field_at<T, I>::member_type, typename field_at<T, I>::format_type>() ||
      ...);
}
template <class V, class Format>
constexpr bool is_measured() noexcept {
  if constexpr (sequence<V> || map<V> || variant<V>) {
    return true;
  } else if constexpr (string<V>) {
    return !is_quoted<Format>;
  } else if constexpr (array<V>) {
    return is_measured<typename array_of<V>::element, Format>();
  } else if constexpr (optional<V>) {
    return is_measured<typename V::value_type, Format>();
  } else if constexpr (block<V>) {
    return has_measured_field<V>(std::make_index_sequence<field_count<V>>());
  } else {
    return false;
  }
}
template <class V, class Format = default_format>
inline constexpr bool measured = is_measured<V, Format>();

template <std::size_t N>
constexpr bool are_words(const std::array<std::string_view, N>& names) noexcept {
  for (const std::string_view name : names) {
    if (!is_word(name)) return false;
  }
  return true;
}
template <std::size_t N>
constexpr bool all_differ(const std::array<std::string_view, N>& names) noexcept {
  for (std::size_t i = 0; i < N; ++i) {
    for (std::size_t j = i + 1; j < N; ++j) {
      if (names[i] == names[j]) return false;
    }
  }
  return true;
}
template <class T>
inline constexpr auto field_names = std::apply(
    [](const auto&... each) { return std::array<std::string_view, sizeof...(each)>{each.name...}; },
    description<T>);
template <class Enum>
constexpr auto make_value_names() noexcept {
  std::array<std::string_view, name_table<Enum>.size()> names;
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = name_table<Enum>[i].name;
  return names;
}
template <class Enum>
inline constexpr auto value_names = make_value_names<Enum>();

}  // namespace detail
}  // namespace overture::text

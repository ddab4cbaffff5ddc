// SPDX-License-Identifier: Zlib
//
// Writes objects as text: all of a paged<T> into one buffer, on one thread or on every core.
//
//   paged<unit> units;                                    // described in text/fields.hpp
//   std::span<char> buffer = ...;                         // text::bytes_max<style>(units), or less
//   auto done = text::write<text::script<"unit">>(jobs, units, buffer);
//   if (!done) return report(done.error());
//   save(buffer.first(done->bytes));
//
// The bytes are the same for any number of threads. text/style.hpp shows the styles. For a single
// object there is write_object():
//
//   char room[text::object_bytes_max<text::json, unit>() + text::slack];
//   char* end = text::write_object<text::json>(room, knight);      // null: a string was too long
//
// Types with members of any length (text/fields.hpp) have no bound at compile time. Then each call
// begins with a pass that bounds the text of every object, on all threads. It converts no number,
// and a vector of numbers costs it one multiplication. For a single object, object_bytes() is that
// bound.
//
// Buffer: with room for bytes_max() every page is written once. In less, several threads write
// every page twice: a first pass measures it. bytes_max() is much more than the text will be, but
// memory that is never touched usually costs only address space.
//
// How it works: each thread takes up to eight pages at a time and writes them into scratch memory
// that stays in its cache. Once the pages before are done, it writes the rest of its pages straight
// into place and copies what it has in scratch. If the pages before are still not done when it has
// finished, it leaves its text in the slots that the buffer has for these pages, at their maximum
// size; whichever thread completes the pages before moves it down. No thread waits for another.
//
// Allocation: the page table, and scratch for eight pages or 512 KiB (at least one page) per
// thread. Both come from the allocator of the paged<T>, before the parallel part, which allocates
// nothing and takes no lock. With a page_table of your own, later calls allocate nothing at all.
//
// Threads: any thread may call. The objects must not change during the call.
//
// Errors, for all write functions:
//   no_space       the buffer is too small; error::offset is the size needed, as far as known
//   limit          a string is longer than its format allows, a variant is valueless, or an object
//                  nests deeper than limits::text_depth_max; error::offset is the page number
//   out_of_memory  the allocator refused
//   invalid        the objects changed during the call
//   threw          a function of yours that writes an object threw
//   unsupported    the job system is of another version of Overture
#pragma once

#include <span>
#include <utility>

#include "overture/base/prefetch.hpp"
#include "overture/jobs/paged.hpp"
#include "overture/text/detail/write_container.hpp"
#include "overture/text/detail/write_value.hpp"
#include "overture/text/pages.hpp"
#include "overture/text/style.hpp"

namespace overture::text {

// The most bytes that one object can take in this style, line end included. A compile-time
// constant.
template <class Style, class T>
[[nodiscard]] constexpr std::size_t object_bytes_max() noexcept {
  static_assert(!detail::measured<T>,
                "a type with a vector, a map, a variant or a string without a maximum length has "
                "no bound: use object_bytes(object)");
  if constexpr (detail::measured<T>) return 0;
  return detail::opening<Style>.used + detail::value_bytes_max<Style, T, default_format, 0>() + 1;
}

// The most bytes that this object can take, line end included; 0 if it nests too deep to be
// written. Any thread.
template <class Style, class T>
[[nodiscard]] std::size_t object_bytes(const T& object) noexcept {
  if constexpr (!detail::measured<T>) {
    return object_bytes_max<Style, T>();
  } else {
    detail::text_bound bound;
    detail::add_value<Style, T, default_format, 0>(bound, object);
    return bound.too_deep ? 0 : detail::opening<Style>.used + bound.bytes + 1;
  }
}

// Writes one object and a line end. Needs room for object_bytes(object) + slack bytes, because it
// may touch `slack` bytes beyond the text, and an object for which that is not 0. Returns the end
// of the text, or null if a string is longer than its format allows or a variant is valueless. Any
// thread.
template <class Style, class T>
inline char* write_object(char* out, const T& object) noexcept {
  // Comes first, to report what is wrong with a description.
  detail::check_type<Style, T>();
  out = detail::put_text<detail::opening<Style>>(out);
  out = detail::put_value<Style, T, default_format, 0>(out, object);
  if (out) *out++ = '\n';
  return out;
}

// The buffer size, in bytes, with which write() writes every page once. Counts pages, or visits all
// objects if there is no bound at compile time. Any thread.
template <class Style, class T, std::size_t PageSize>
[[nodiscard]] std::size_t bytes_max(const paged<T, PageSize>& objects) {
  const std::size_t margins = objects.page_count() * slack;
  if constexpr (detail::measured<T>) {
    std::size_t bytes = margins;
    objects.for_each([&bytes](const T& each) { bytes += object_bytes<Style>(each); });
    return bytes;
  } else {
    return objects.size() * object_bytes_max<Style, T>() + margins;
  }
}

namespace detail {

template <class Style>
struct object_writer {
  template <class T>
  char* operator()(char* out, const T& object) const noexcept {
    return write_object<Style>(out, object);
  }
};

// Writes the pages of a paged<T>, for write_pages().
template <class T, std::size_t PageSize, class Write>
struct page_writer {
  const paged<T, PageSize>& objects;
  Write& write_object;

  char* operator()(std::size_t i, char* out, const char* destination) const {
    return objects.page_at(i).fold(
        out, [&write = write_object, out, destination](char* at, const T& object) -> char* {
          if (!at) return at;
          prefetch_to_write(destination + (at - out));
          return write(at, object);
        });
  }
};

// The room that page i takes.
template <class Style, class T, std::size_t PageSize>
page_room room_of(const paged<T, PageSize>& objects, std::size_t i) noexcept {
  const std::size_t count = objects.page_objects(i);
  text_bound bound;
  if constexpr (measured<T>) {
    bound = objects.page_at(i).fold(bound, [](text_bound sum, const T& object) {
      const std::size_t bytes = object_bytes<Style>(object);
      sum.too_deep |= bytes == 0;
      sum.add(bytes);
      return sum;
    });
  } else {
    bound.add(object_bytes_max<Style, T>(), count);
  }
  return {count, bound.too_deep ? page_room::none : bound.bytes};
}

// Sets all pages of a table: objects have one bound, or each has its own.
struct equal_bounds {
  std::size_t object_bytes;

  template <class T, std::size_t PageSize>
  result<void> set(job_system* /*jobs*/, const paged<T, PageSize>& objects,
                   page_table& pages) const {
    for (std::size_t i = 0; i < objects.page_count(); ++i) {
      pages.set_page(i, objects.page_objects(i), object_bytes);
    }
    return {};
  }
};
template <class Style>
struct own_bounds {
  template <class T, std::size_t PageSize>
  result<void> set(job_system* jobs, const paged<T, PageSize>& objects, page_table& pages) const {
    return pages.set_pages(
        jobs, [&objects](std::size_t i) noexcept { return room_of<Style>(objects, i); });
  }
};
template <class Style, class T>
constexpr auto bounds_of() noexcept {
  if constexpr (measured<T>) {
    return own_bounds<Style>{};
  } else {
    return equal_bounds{object_bytes_max<Style, T>()};
  }
}

template <class T, std::size_t PageSize, class Bounds, class Write>
result<written> write_paged(job_system* jobs, const paged<T, PageSize>& objects,
                            std::span<char> buffer, Bounds bounds, page_table* table,
                            Write write_object, layout how) {
  if (jobs && !jobs->is_of_this_version()) return fail(errc::unsupported, other_version);
  page_table own(objects.memory());
  page_table& pages = table ? *table : own;
  auto sized = pages.prepare(objects.page_count(), jobs ? jobs->concurrency() : 1);
  if (sized) sized = bounds.set(jobs, objects, pages);
  if (!sized) return tl::unexpected(sized.error());
  const page_writer<T, PageSize, Write> write_page{objects, write_object};
  return write_pages(jobs, pages, buffer, how, write_page);
}

}  // namespace detail

// Writes all objects, on the calling thread. If `table` is given, it tells afterwards where each
// page lies in the buffer; pass it to read() to read the pages in parallel. layout::slots leaves
// each page in its slot, for writev (text/pages.hpp).
template <class Style, class T, std::size_t PageSize>
[[nodiscard]] result<written> write(const paged<T, PageSize>& objects, std::span<char> buffer,
                                    page_table* table = nullptr, layout how = layout::dense) {
  return detail::write_paged(nullptr, objects, buffer, detail::bounds_of<Style, T>(), table,
                             detail::object_writer<Style>{}, how);
}

// The same on all threads of the job system. Returns when everything is written.
template <class Style, class T, std::size_t PageSize>
[[nodiscard]] result<written> write(job_system& jobs, const paged<T, PageSize>& objects,
                                    std::span<char> buffer, page_table* table = nullptr,
                                    layout how = layout::dense) {
  return detail::write_paged(&jobs, objects, buffer, detail::bounds_of<Style, T>(), table,
                             detail::object_writer<Style>{}, how);
}

// For types that write themselves: calls write_one(char* out, const T& object) for each object. It
// returns the end of what it wrote, at most `object_bytes` after `out`, and may touch `slack` bytes
// more. Null gives up: the call then fails with errc::limit. With a job system write_one is called
// on several threads at once, and perhaps twice for one object.
template <class T, std::size_t PageSize, class Write>
  requires std::is_invocable_r_v<char*, Write&, char*, const T&>
[[nodiscard]] result<written> write_with(const paged<T, PageSize>& objects, std::span<char> buffer,
                                         std::size_t object_bytes, Write write_one,
                                         page_table* table = nullptr, layout how = layout::dense) {
  return detail::write_paged(nullptr, objects, buffer, detail::equal_bounds{object_bytes}, table,
                             std::move(write_one), how);
}
template <class T, std::size_t PageSize, class Write>
  requires std::is_invocable_r_v<char*, Write&, char*, const T&>
[[nodiscard]] result<written> write_with(job_system& jobs, const paged<T, PageSize>& objects,
                                         std::span<char> buffer, std::size_t object_bytes,
                                         Write write_one, page_table* table = nullptr,
                                         layout how = layout::dense) {
  return detail::write_paged(&jobs, objects, buffer, detail::equal_bounds{object_bytes}, table,
                             std::move(write_one), how);
}

// The same with a member function of T or of a base of T: char* T::write(char* out) const.
template <class T, std::size_t PageSize, class Base>
  requires std::is_base_of_v<Base, T>
[[nodiscard]] result<written> write_with(const paged<T, PageSize>& objects, std::span<char> buffer,
                                         std::size_t object_bytes,
                                         char* (Base::*member)(char*) const,
                                         page_table* table = nullptr, layout how = layout::dense) {
  const auto call = [member](char* out, const T& object) { return (object.*member)(out); };
  return detail::write_paged(nullptr, objects, buffer, detail::equal_bounds{object_bytes}, table,
                             call, how);
}
template <class T, std::size_t PageSize, class Base>
  requires std::is_base_of_v<Base, T>
[[nodiscard]] result<written> write_with(job_system& jobs, const paged<T, PageSize>& objects,
                                         std::span<char> buffer, std::size_t object_bytes,
                                         char* (Base::*member)(char*) const,
                                         page_table* table = nullptr, layout how = layout::dense) {
  const auto call = [member](char* out, const T& object) { return (object.*member)(out); };
  return detail::write_paged(&jobs, objects, buffer, detail::equal_bounds{object_bytes}, table,
                             call, how);
}

}  // namespace overture::text

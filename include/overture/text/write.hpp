// Objects as text: all pages of a paged<T> into one buffer, on one thread or on all, with the same
// bytes either way.
//
//   paged<unit> units;                                    // with fields(), see text/fields.hpp
//   std::span<char> buffer = ...;                         // text::bytes_max<style>(units), or less
//   auto done = text::write<text::script<"unit">>(jobs, units, buffer);
//   if (!done) return report(done.error());
//   save(buffer.first(done->bytes));
//
// Styles
//   script<"unit">   unit={ enabled=yes speed=1.25 at={ 1 2 3 } }       one line for each object
//   blocks<"unit">   the same with a key=value line for each field, indented
//   rows<' '>        yes 1.25 1 2 3                                     rows<','> is CSV-like
//   json             {"enabled":true,"speed":1.25,"at":[1,2,3]}         JSON lines
// Quotes, backslashes and control characters in strings are escaped as \" \\ \n \r \t \x07 (JSON:
// \u0007). Bytes that are no UTF-8 stay as they are, but JSON gets \udc80 to \udcff for them, which
// reads back as the same bytes (and which other readers may refuse).
//
// How the parallel part works: each thread takes the next pages, up to eight, and writes them into
// room of its own that stays in its cache. Once the pages before are done it writes the rest of
// them directly to their place, and copies what it has there. If they do not get done meanwhile, it
// leaves them in the slots that the buffer has for them, laid out beforehand for the longest text
// there can be, and whoever completes the pages before moves them down. Nobody waits for anybody.
// If the buffer is too small for slots, a first pass only finds out how long each page is.
//
// Allocation: the page table and room for eight pages or 512 KiB, at least one page, for each
// thread, before the parallel part and with
// the allocator of the paged; nothing in the parallel part, and no lock. A page_table of yours that
// is used again needs no allocation at all from the second time on.
//
// Any thread may call; nobody may change the objects meanwhile. Errors: no_space (the buffer is too
// small; error::offset says how much is needed, as far as that is known), limit (a string is longer
// than its format allows; error::offset is the number of the page), out_of_memory, invalid (the
// objects were changed meanwhile).
#pragma once

#include <span>
#include <utility>

#include "overture/base/prefetch.hpp"
#include "overture/jobs/paged.hpp"
#include "overture/text/pages.hpp"
#include "overture/text/style.hpp"

namespace overture::text {

// Room for any text that these objects can have, so that no first pass is needed.
template <class Style, class T, std::size_t PageSize>
[[nodiscard]] std::size_t bytes_max(const paged<T, PageSize>& objects) {
  return objects.size() * object_bytes_max<Style, T>() + objects.page_count() * slack;
}

namespace detail {

// Writes the pages of a paged<T>, for write_pages().
template <class T, std::size_t PageSize, class Write>
struct page_writer {
  const paged<T, PageSize>& objects;
  Write& write_object;

  char* operator()(std::size_t i, char* out, const char* place) const {
    return objects.page_at(i).fold(
        out, [&write = write_object, out, place](char* at, const T& object) -> char* {
          if (!at) return at;
          prefetch_to_write(place + (at - out));
          return write(at, object);
        });
  }
};

template <class T, std::size_t PageSize, class Write>
result<written> write_paged(job_system* jobs, const paged<T, PageSize>& objects,
                            std::span<char> buffer, std::size_t object_bytes, page_table* table,
                            Write write_object, layout how) {
  page_table own(objects.memory());
  page_table& pages = table ? *table : own;
  auto sized = pages.prepare(objects.page_count(), jobs ? jobs->concurrency() : 1);
  if (!sized) return tl::unexpected(sized.error());
  for (std::size_t i = 0; i < objects.page_count(); ++i) {
    pages.set_page(i, objects.page_objects(i), object_bytes);
  }
  const page_writer<T, PageSize, Write> write_page{objects, write_object};
  return write_pages(jobs, pages, buffer, how, write_page);
}

}  // namespace detail

// On the calling thread. `table`, if there is one, says afterwards where each page is.
template <class Style, class T, std::size_t PageSize>
[[nodiscard]] result<written> write(const paged<T, PageSize>& objects, std::span<char> buffer,
                                    page_table* table = nullptr, layout how = layout::dense) {
  return detail::write_paged(nullptr, objects, buffer, object_bytes_max<Style, T>(), table,
                             detail::object_writer<Style>{}, how);
}

// On all threads of the job system.
template <class Style, class T, std::size_t PageSize>
[[nodiscard]] result<written> write(job_system& jobs, const paged<T, PageSize>& objects,
                                    std::span<char> buffer, page_table* table = nullptr,
                                    layout how = layout::dense) {
  return detail::write_paged(&jobs, objects, buffer, object_bytes_max<Style, T>(), table,
                             detail::object_writer<Style>{}, how);
}

// For types that write themselves: `write_one(char* out, const T& object)` returns the end, at most
// `object_bytes` behind `out` (and may touch `slack` bytes more), or null to give up with
// errc::limit. It is called on several threads at once.
template <class T, std::size_t PageSize, class Write>
  requires std::is_invocable_r_v<char*, Write&, char*, const T&>
[[nodiscard]] result<written> write_with(const paged<T, PageSize>& objects, std::span<char> buffer,
                                         std::size_t object_bytes, Write write_one,
                                         page_table* table = nullptr, layout how = layout::dense) {
  return detail::write_paged(nullptr, objects, buffer, object_bytes, table, std::move(write_one),
                             how);
}
template <class T, std::size_t PageSize, class Write>
  requires std::is_invocable_r_v<char*, Write&, char*, const T&>
[[nodiscard]] result<written> write_with(job_system& jobs, const paged<T, PageSize>& objects,
                                         std::span<char> buffer, std::size_t object_bytes,
                                         Write write_one, page_table* table = nullptr,
                                         layout how = layout::dense) {
  return detail::write_paged(&jobs, objects, buffer, object_bytes, table, std::move(write_one),
                             how);
}

// The same for a member function, which T may have from a base: char* T::write(char* out) const.
template <class T, std::size_t PageSize, class Base>
  requires std::is_base_of_v<Base, T>
[[nodiscard]] result<written> write_with(const paged<T, PageSize>& objects, std::span<char> buffer,
                                         std::size_t object_bytes,
                                         char* (Base::*member)(char*) const,
                                         page_table* table = nullptr, layout how = layout::dense) {
  const auto call = [member](char* out, const T& object) { return (object.*member)(out); };
  return detail::write_paged(nullptr, objects, buffer, object_bytes, table, call, how);
}
template <class T, std::size_t PageSize, class Base>
  requires std::is_base_of_v<Base, T>
[[nodiscard]] result<written> write_with(job_system& jobs, const paged<T, PageSize>& objects,
                                         std::span<char> buffer, std::size_t object_bytes,
                                         char* (Base::*member)(char*) const,
                                         page_table* table = nullptr, layout how = layout::dense) {
  const auto call = [member](char* out, const T& object) { return (object.*member)(out); };
  return detail::write_paged(&jobs, objects, buffer, object_bytes, table, call, how);
}

}  // namespace overture::text

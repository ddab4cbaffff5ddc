// SPDX-License-Identifier: Zlib
#include "overture/report/write_report.hpp"

#include <exception>
#include <map>
#include <new>
#include <string>
#include <utility>

#include "overture/assets/asset_store.hpp"
#include "overture/base/path.hpp"
#include "overture/load/load_scope.hpp"
#include "overture/trace/timeline.hpp"
#include "overture/vfs/file_system.hpp"
#include "report/model/collect.hpp"
#include "report/model/store_model.hpp"
#include "report/model/undecoded.hpp"
#include "report/page/critical_path.hpp"
#include "report/page/page.hpp"
#include "report/page/store_page.hpp"
#include "report/page/timeline_lines.hpp"
#include "report/page/traced_load.hpp"

namespace overture {

namespace {

using report_detail::load_report;
using report_detail::subject_text;
using report_detail::traced_load;

// Standard strings throw when memory is refused, and a sink may throw, too.
template <class Write>
result<void> without_exceptions(Write write) noexcept {
  try {
    return write();
  } catch (const std::bad_alloc&) {
    return fail(errc::out_of_memory, "out of memory for a page");
  } catch (...) {
    return fail(errc::threw, "the sink of a page threw an exception");
  }
}

std::string number_of_asset(std::uint32_t subject) {
  return "asset " + std::to_string(subject - first_asset_subject);
}

using subject_names = function_ref<subject_text(std::uint32_t)>;

result<void> read_timeline(traced_load& into, const timeline& record, subject_names describe,
                           traced_load::ending with) {
  const auto add = [&into](const report_detail::trace_line& line) { into.add(line); };
  if (result<void> read = report_detail::each_trace_line(record, describe, add); !read) return read;
  into.finish(with);
  return {};
}

result<void> read_timeline(traced_load& into, const timeline& record, const file_system* files) {
  const auto describe = [files](std::uint32_t subject) -> subject_text {
    if (subject >= first_asset_subject) return {number_of_asset(subject), {}};
    if (!files || subject >= files->entry_count()) return {std::to_string(subject), {}};
    const entry_info entry = files->entry(subject);
    return {std::string(entry.path), std::string(files->mount_of(entry.mount).path)};
  };
  return read_timeline(into, record, describe, traced_load::ending::last_stage);
}

file_state shown_state(asset_state state) {
  if (state == asset_state::failed) return file_state::failed;
  return state == asset_state::ready ? file_state::ready : file_state::none;
}

// Rows are by path: what the store has of an asset is not in the timeline.
void add_store(load_report& drawn, const report_detail::store_report& what) {
  std::map<std::string_view, report_detail::report_row*> rows;
  for (report_detail::report_row& row : drawn.files) rows.emplace(row.path, &row);
  for (const report_detail::asset_times& each : what.assets) {
    const auto row = rows.find(each.path);
    if (row == rows.end()) continue;
    row->second->bytes = each.bytes;
    row->second->state = shown_state(each.state);
  }
}

result<void> write_page(text_sink& page, load_report& what, const traced_load& traced) {
  what.files = traced.rows_for(what);
  report_detail::timeline_picture picture = traced.picture();
  picture.critical = report_detail::critical_path(picture);
  return page.write(report_detail::report_page(what, picture));
}

}  // namespace

result<void> write_report(text_sink& page, const timeline& record, const file_system& files,
                          const load_scope& load) noexcept {
  return without_exceptions([&]() -> result<void> {
    traced_load traced;
    if (result<void> read = read_timeline(traced, record, &files); !read) return read;
    const load_report told = traced.report_of_trace();
    load_report what;
    report_detail::collect_files(what, files, load);
    what.threads = told.threads;
    what.io_threads = told.io_threads;
    what.mount_ns = told.mount_ns;
    what.verdict = told.verdict;
    what.threads_used = told.threads_used;
    return write_page(page, what, traced);
  });
}

result<void> write_report(text_sink& page, const timeline& record,
                          const file_system* files) noexcept {
  return without_exceptions([&]() -> result<void> {
    traced_load traced;
    if (result<void> read = read_timeline(traced, record, files); !read) return read;
    load_report what = traced.report_of_trace();
    if (what.is_load) {
      what.missing.emplace_back(
          "Made of a timeline alone, which tells no failures, warnings, overrides and skipped "
          "names.");
    }
    return write_page(page, what, traced);
  });
}

result<void> write_report(text_sink& page, const timeline& record,
                          const asset_store& store) noexcept {
  return without_exceptions([&]() -> result<void> {
    const report_detail::store_report what = report_detail::collect_store(store, record);
    const auto describe = [&what](std::uint32_t subject) -> subject_text {
      if (subject < first_asset_subject) return {"entry " + std::to_string(subject), {}};
      std::string path = what.path_of(subject - first_asset_subject);
      return {path.empty() ? number_of_asset(subject) : std::move(path), {}};
    };
    traced_load traced;
    if (result<void> read =
            read_timeline(traced, record, describe, traced_load::ending::last_event);
        !read) {
      return read;
    }
    load_report drawn = traced.report_of_trace();
    drawn.threads = 0;  // without an estimate for others: assets are not one load
    drawn.files = traced.rows_for(drawn);
    add_store(drawn, what);
    return page.write(report_detail::store_page(what, drawn, traced.picture()));
  });
}

}  // namespace overture

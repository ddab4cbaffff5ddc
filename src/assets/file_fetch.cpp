#include "assets/file_fetch.hpp"

#include <utility>

namespace overture::assets_detail {

void file_fetcher::begin(fetch_request& wanted, job_group& group,
                         fetch_listener& listener) noexcept {
  group.run([this, &wanted, &listener]() noexcept {
    result<blob> read = files_.read_all(wanted.path, buffers_);
    wanted.outcome = read.map([](const blob&) {});
    if (read) wanted.content = std::move(*read);
    listener.fetched(wanted);
  });
}

}  // namespace overture::assets_detail

// SPDX-License-Identifier: Zlib
#include "io/files/block_work_here.hpp"

#include <utility>

namespace overture::io_detail {

namespace {

constinit thread_local block_work* told_here = nullptr;

}  // namespace

block_work* block_work_here() noexcept {
  return told_here;
}

block_work_scope::block_work_scope(block_work& into) noexcept
    : before_(std::exchange(told_here, &into)) {}

block_work_scope::~block_work_scope() {
  told_here = before_;
}

}  // namespace overture::io_detail

// SPDX-License-Identifier: Zlib
extern std::size_t page_count;
std::size_t objects_in(std::size_t page);
extern std::size_t bytes_max_of_one;
struct page_writer {
  char* operator()(std::size_t i, char* out, const char* destination) const;
};
extern page_writer write_page;

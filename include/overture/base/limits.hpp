// SPDX-License-Identifier: Zlib
//
// All limits of Overture. Input that exceeds one fails with errc::limit and is never partly used.
#pragma once

#include <cstddef>
#include <cstdint>

namespace overture::limits {

// Paths.
inline constexpr std::size_t path_bytes_max = 4096;
inline constexpr std::size_t path_element_bytes_max = 255;
inline constexpr std::size_t folder_depth_max = 128;
inline constexpr std::size_t folders_max = 1u << 20;       // per mount
inline constexpr std::size_t folder_links_max = 1u << 12;  // links to folders followed per mount

// One file_system.
inline constexpr std::size_t mounts_max = 4096;
inline constexpr std::size_t entries_max = 16u << 20;  // files per mount, and in the merged tree
// Different paths with one hash, per mount. Chance never makes two; crafted ones would turn each
// look-up into a linear search.
inline constexpr std::uint32_t paths_of_id_max = 64;
inline constexpr std::size_t link_target_bytes_max = 4096;  // a link inside an archive
inline constexpr std::size_t sources_max = 1u << 20;        // archives and open loose files

// One archive.
inline constexpr std::uint64_t archive_directory_bytes_max = 1ull << 30;
// A compressed directory may unpack to this much; to more only within the ratio to its packed size.
// Names and sizes compress about 10:1, crafted ones 7,000:1.
inline constexpr std::uint64_t packed_directory_bytes_always = 16ull << 20;
inline constexpr std::uint64_t packed_directory_ratio_max = 64;
inline constexpr std::uint64_t entry_bytes_max = (4ull << 30) - 1;  // unpacked
// DEFLATE expands at most 1032:1; an entry that claims more is corrupt.
inline constexpr std::uint64_t deflate_ratio_max = 1032;
// zstd: a block takes at least four bytes and makes at most 128 KiB.
inline constexpr std::uint64_t zstd_ratio_max = 32768;
// LZMA: 273 bytes cost at least 14 coded bits of 0.022 bits each, so one byte makes at most 7,100.
inline constexpr std::uint64_t lzma_ratio_max = 8192;
// BZip2: a block of 900,000 bytes, which stand for up to 51 times as many, takes at least 30.
inline constexpr std::uint64_t bzip2_ratio_max = 1u << 21;
// What unpacks to more than this may have at most so many bytes for each packed one, unless
// mount_options::allow_bombs: DEFLATE reaches 1,032 with zeros alone, games about 20, and only
// zeros packed by LZMA, zstd or BZip2 exceed it. What is larger still takes minutes, at the ratio
// of repeated text at most.
inline constexpr std::uint64_t unpacked_bytes_always = 64ull << 20;
inline constexpr std::uint64_t unpacked_ratio_max = 1100;
inline constexpr std::uint64_t unpacked_large_bytes = 16ull << 30;
inline constexpr std::uint64_t unpacked_large_ratio_max = 100;
// Blocks that must be unpacked whole to read any part: solid 7z blocks, encrypted entries.
inline constexpr std::uint64_t block_bytes_max = 1ull << 30;
inline constexpr std::size_t archive_blocks_max = 1u << 20;
inline constexpr std::uint64_t blocks_kept_bytes = 256ull << 20;  // cached per mount while unused
inline constexpr std::uint32_t archive_links_followed_max = 40;   // as in Linux
inline constexpr std::size_t link_elements_max = 1u << 18;  // path elements of all link targets
inline constexpr std::size_t linked_bytes_max = 16u << 20;  // table bytes that links to folders add

// Threads.
inline constexpr std::size_t thread_slots_max = 1024;
inline constexpr std::size_t pool_workers_max = 192;
inline constexpr std::size_t pool_helpers_max = 64;  // waiting host threads with a seat each
inline constexpr std::size_t io_threads_max = 64;

// Jobs.
inline constexpr std::size_t job_bytes_max = 48;  // of a callable stored inside the job
inline constexpr std::size_t jobs_queued_max = 1u << 20;
inline constexpr std::size_t graph_jobs_max = 1u << 24;  // per graph; also its dependencies

// Timelines.
inline constexpr std::uint32_t timeline_events_max = 1u << 26;  // per thread
inline constexpr std::size_t timeline_totals_max = 48;  // pairs of kind and name, per thread

// Images.
inline constexpr std::uint32_t image_side_max = 32768;
inline constexpr std::uint64_t image_bytes_max = 1ull << 30;
// An image that decodes to more than this needs a byte of the file for every so many pixels. The
// palest drawings stay within it: DEFLATE stores 1,032 pixels a byte at best, at one byte a pixel.
inline constexpr std::uint64_t image_bytes_always = 64ull << 20;
inline constexpr std::uint64_t image_pixels_per_byte_max = 1100;
// A JPEG has at least one Huffman code, of at least one bit, for each 8 x 8 pixels.
inline constexpr std::uint64_t jpeg_pixels_per_byte_max = 512;
// A scan of a progressive JPEG can cover the whole image with a few bytes. Encoders use about ten.
inline constexpr int jpeg_scans_max = 100;

// Sounds.
inline constexpr std::uint32_t sound_channels_max = 8;
inline constexpr std::uint64_t sound_bytes_max = 1ull << 30;
// A sound that decodes to more than `always` may have so many bytes for each byte of its file.
// Encoded silence has about 2,000.
inline constexpr std::uint64_t sound_bytes_always = 64ull << 20;
inline constexpr std::uint64_t sound_bytes_per_byte_max = 4096;
// Of one Vorbis codebook. libvorbis's own have at most 6,561; it keeps 12 bytes for each on the
// stack.
inline constexpr std::uint32_t vorbis_codebook_entries_max = 16384;
// What a Vorbis file's headers may make libvorbis allocate. Those of its encoder take about 1 MiB.
inline constexpr std::uint64_t vorbis_tables_bytes_max = 64ull << 20;
// The decoded size that a header may claim, per file byte, for the buffer to be allocated up front.
// Silence compresses better than that; such buffers grow while decoding.
inline constexpr std::uint64_t sound_bytes_per_byte_likely = 128;

// Models.
inline constexpr std::size_t model_surfaces_max = 256;
inline constexpr std::uint64_t model_bytes_max = 1ull << 30;
// A model may be as large as this whatever its file, and else so many times as large as that.
inline constexpr std::uint64_t model_bytes_always = 64ull << 20;
inline constexpr std::uint64_t model_bytes_per_byte_max = 64;

// Loads.
inline constexpr std::uint64_t record_bytes_max = 256ull << 20;  // the record of a load

// Text.
inline constexpr std::size_t text_depth_max = 64;  // nesting of blocks of any size or unknown ones
// Elements of vectors and maps that take more memory than this, in one page of text, may take so
// many bytes for each byte of text before them. An element takes two bytes of text or more, so only
// those of more than 512 bytes can exceed that, where most of their members are omitted.
inline constexpr std::size_t text_element_bytes_always = 1u << 20;
inline constexpr std::size_t text_element_bytes_ratio_max = 256;
inline constexpr std::uint64_t save_bytes_max = 16ull << 30;
inline constexpr std::size_t save_sections_max = 4096;
inline constexpr std::size_t save_pages_max = 1u << 24;

static_assert(path_element_bytes_max < path_bytes_max);
static_assert(path_bytes_max <= UINT16_MAX, "path lengths are stored in 16 bits");
static_assert(entries_max < UINT32_MAX, "entries are numbered with 32 bits");
static_assert((pool_workers_max + pool_helpers_max) % 64 == 0,
              "participants are bits of 64-bit words");
static_assert(entry_bytes_max <= UINT32_MAX);
static_assert(save_pages_max <= UINT32_MAX, "save pages are numbered with 32 bits");

}  // namespace overture::limits

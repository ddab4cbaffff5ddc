// The limits of Overture, all in one place. Input beyond them is refused with errc::limit, never
// half read.
#pragma once

#include <cstddef>
#include <cstdint>

namespace overture::limits {

// Paths.
inline constexpr std::size_t path_bytes_max = 4096;
inline constexpr std::size_t path_element_bytes_max = 255;
inline constexpr std::size_t folder_depth_max = 128;
inline constexpr std::size_t folders_max = 1u << 20;       // of one mount
inline constexpr std::size_t folder_links_max = 1u << 12;  // links to folders followed in one

// One file_system.
inline constexpr std::size_t mounts_max = 4096;
inline constexpr std::size_t entries_max = 16u << 20;  // files of one mount, and of the merged tree
// Chance never makes more than one; who crafts many would make each look-up a walk over all.
inline constexpr std::uint32_t paths_of_id_max = 64;        // different ones, of one mount
inline constexpr std::size_t link_target_bytes_max = 4096;  // a link inside an archive
inline constexpr std::size_t sources_max = 1u << 20;        // archives and open loose files

// One archive.
inline constexpr std::uint64_t archive_directory_bytes_max = 1ull << 30;
inline constexpr std::uint64_t entry_bytes_max = (4ull << 30) - 1;  // unpacked in one piece
// DEFLATE cannot make more than 1032 bytes of one; an entry that claims more lies.
inline constexpr std::uint64_t deflate_ratio_max = 1032;

// zstd: at least four bytes for each block, of which none makes more than 128 KiB.
inline constexpr std::uint64_t zstd_ratio_max = 32768;
// LZMA: 273 bytes cost at least 14 coded bits of 0.022 bits each, so 7,100 bytes come of one.
inline constexpr std::uint64_t lzma_ratio_max = 8192;
// What is unpacked as a whole to be read in parts: a solid block of a 7z, an encrypted entry.
inline constexpr std::uint64_t block_bytes_max = 1ull << 30;
inline constexpr std::size_t archive_blocks_max = 1u << 20;
inline constexpr std::uint64_t blocks_kept_bytes = 256ull << 20;  // in one mount, read by nobody
inline constexpr std::uint32_t archive_links_followed_max = 40;   // as many as Linux follows
inline constexpr std::size_t link_elements_max = 1u << 18;        // of the targets of all its links
inline constexpr std::size_t linked_bytes_max = 16u << 20;  // tables of what links to folders add

// Threads.
inline constexpr std::size_t thread_slots_max = 1024;
inline constexpr std::size_t pool_workers_max = 192;
inline constexpr std::size_t pool_helpers_max =
    64;  // threads of the host that wait in a pool at once
inline constexpr std::size_t io_threads_max = 64;

// Jobs.
inline constexpr std::size_t job_bytes_max = 48;  // a callable stored in the job itself
inline constexpr std::size_t jobs_queued_max = 1u << 20;
inline constexpr std::size_t graph_jobs_max = 1u << 24;  // and orders between them, of one graph

// A timeline.
inline constexpr std::uint32_t timeline_events_max = 1u << 26;  // that one thread's ring can hold
inline constexpr std::size_t timeline_totals_max = 48;  // kinds and names summed for one thread

// Images.
inline constexpr std::uint32_t image_side_max = 32768;
inline constexpr std::uint64_t image_bytes_max = 1ull << 30;
// A Huffman code has at least one bit, and a JPEG one or more for each 8 x 8 pixels.
inline constexpr std::uint64_t jpeg_pixels_per_byte_max = 512;
// Each scan of a progressive JPEG may visit all of the image with a few bytes. Encoders use ten.
inline constexpr int jpeg_scans_max = 100;

// Sounds.
inline constexpr std::uint32_t sound_channels_max = 8;
inline constexpr std::uint64_t sound_bytes_max = 1ull << 30;
// How many times its own size a file may say that it unpacks to and be believed at once. Silence
// packs better than that, so more is taken as it is decoded.
inline constexpr std::uint64_t sound_bytes_per_byte_likely = 128;

// Models.
inline constexpr std::size_t model_surfaces_max = 256;
inline constexpr std::uint64_t model_bytes_max = 1ull << 30;

// Texts.
inline constexpr std::size_t text_depth_max = 64;  // of blocks that nobody described
inline constexpr std::uint64_t save_bytes_max = 16ull << 30;
inline constexpr std::size_t save_sections_max = 4096;
inline constexpr std::size_t save_pages_max = 1u << 24;

static_assert(path_element_bytes_max < path_bytes_max);
static_assert(path_bytes_max <= UINT16_MAX, "lengths of paths are kept in 16 bits");
static_assert(entries_max < UINT32_MAX, "entries are named by 32 bits");
static_assert((pool_workers_max + pool_helpers_max) % 64 == 0, "participants are bits of words");
static_assert(entry_bytes_max <= UINT32_MAX);
static_assert(save_pages_max <= UINT32_MAX, "pages of saves are numbered by 32 bits");

}  // namespace overture::limits

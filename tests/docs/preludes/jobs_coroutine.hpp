// SPDX-License-Identifier: Zlib
shared_future<blob> read(read_queue& reads, asset_path which);
texture decode(const blob& bytes);
co_task<texture> shrink(const texture& pixels);

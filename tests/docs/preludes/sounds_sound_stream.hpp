// SPDX-License-Identifier: Zlib
// parameters: std::span<float> buffer

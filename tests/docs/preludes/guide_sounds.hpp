// SPDX-License-Identifier: Zlib
extern std::span<float> samples;
extern sound_thread& sounds;
extern result<sound_stream>& music;

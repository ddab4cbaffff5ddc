// SPDX-License-Identifier: Zlib
struct MIX_Audio;
extern struct MIX_Mixer* mixer;
MIX_Audio* MIX_LoadAudio_IO(MIX_Mixer*, SDL_IOStream* file, bool whole, bool close);

// SPDX-License-Identifier: Zlib
//
// For decoders of models: vectors, tangents, and the arrays of a model that is being built.
#pragma once

#include <cmath>
#include <span>

#include "overture/decoders/model.hpp"

namespace overture::decoders_detail {

template <class T>
T* writable(std::span<const T> array) noexcept {
  return const_cast<T*>(array.data());
}

struct vec3 {
  float x, y, z;

  friend vec3 operator+(vec3 a, vec3 b) noexcept { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
  friend vec3 operator-(vec3 a, vec3 b) noexcept { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
  friend vec3 operator*(vec3 a, float f) noexcept { return {a.x * f, a.y * f, a.z * f}; }
};
inline float dot(vec3 a, vec3 b) noexcept {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
inline vec3 cross(vec3 a, vec3 b) noexcept {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
inline vec3 load(const float* from) noexcept {
  return {from[0], from[1], from[2]};
}
inline void store(float* to, vec3 value) noexcept {
  to[0] = value.x;
  to[1] = value.y;
  to[2] = value.z;
}
inline void add(float* to, vec3 value) noexcept {
  store(to, load(to) + value);
}

// Any unit vector perpendicular to `normal`, which has unit length.
inline vec3 any_tangent(vec3 normal) noexcept {
  const vec3 other = std::fabs(normal.x) < 0.7f ? vec3{1, 0, 0} : vec3{0, 1, 0};
  const vec3 tangent = cross(other, normal);
  return tangent * (1 / std::sqrt(dot(tangent, tangent)));
}

// Of a vertex, from the sum of its triangles' directions of increasing s: the part that is
// perpendicular to the normal (Lengyel's method).
inline vec3 tangent_of(vec3 normal, vec3 along_s) noexcept {
  const vec3 square = along_s - normal * dot(normal, along_s);
  const float length = std::sqrt(dot(square, square));
  const bool usable = length > 1e-12f && std::isfinite(length);
  return usable ? square * (1 / length) : any_tangent(normal);
}

// In which directions the texture coordinates of a triangle increase.
struct texture_axes {
  vec3 along_s{};
  vec3 along_t{};
  bool known = false;  // false: degenerate in texture space
};
inline texture_axes axes_of(const model_vertex* const (&corners)[3],
                            const model_texture_coordinate* const (&coordinates)[3]) noexcept {
  const vec3 origin = load(corners[0]->position);
  const vec3 side1 = load(corners[1]->position) - origin;
  const vec3 side2 = load(corners[2]->position) - origin;
  const float s1 = coordinates[1]->s - coordinates[0]->s;
  const float s2 = coordinates[2]->s - coordinates[0]->s;
  const float t1 = coordinates[1]->t - coordinates[0]->t;
  const float t2 = coordinates[2]->t - coordinates[0]->t;
  const float scale = 1 / (s1 * t2 - s2 * t1);
  if (!std::isfinite(scale)) return {};
  return {(side1 * t2 - side2 * t1) * scale, (side2 * s1 - side1 * s2) * scale, true};
}

}  // namespace overture::decoders_detail

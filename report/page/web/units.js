// SPDX-License-Identifier: Zlib
// How numbers are written.

export function timeText(us) {
  if (us === 0) return '0';
  if (us >= 60e6) return `${Math.floor(us / 60e6)} min ${Math.round((us % 60e6) / 1e6)} s`;
  if (us >= 1e6) return `${(us / 1e6).toFixed(us < 1e7 ? 2 : 1)} s`;
  if (us >= 1e3) return `${(us / 1e3).toFixed(us < 1e4 ? 2 : us < 1e5 ? 1 : 0)} ms`;
  return `${us.toFixed(us < 10 ? 1 : 0)} µs`;
}

export function bytesText(bytes) {
  let value = bytes;
  for (const unit of ['B', 'KiB', 'MiB', 'GiB']) {
    if (value < 1024 || unit === 'GiB') {
      return `${unit === 'B' || value >= 100 ? Math.round(value) : value.toPrecision(3)} ${unit}`;
    }
    value /= 1024;
  }
  return '';
}

export function countText(count) {
  return Math.round(count).toLocaleString('en');
}

export function percentText(part, whole) {
  const percent = whole > 0 ? (100 * part) / whole : 0;
  return percent > 0 && percent < 1 ? '<1 %' : `${Math.round(percent)} %`;
}

export function lastElement(path) {
  return path.slice(path.lastIndexOf('/') + 1);
}

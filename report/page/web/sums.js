// SPDX-License-Identifier: Zlib
// Sums over time that any stretch can be asked of, in logarithmic time.

// The first index whose value is not below `value`.
export function lowerBound(sorted, value) {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

// How long a thread worked, from its outermost spans that count.
export class Busy {
  constructor(spans, counts) {
    const begins = [];
    const ends = [];
    const before = [0];
    for (let i = 0; i < spans.count; ++i) {
      if (spans.depth[i] > 0 || !counts(spans.name[i])) continue;
      begins.push(spans.begin[i]);
      ends.push(spans.end[i]);
      before.push(before[before.length - 1] + spans.end[i] - spans.begin[i]);
    }
    this.begins = Float64Array.from(begins);
    this.ends = Float64Array.from(ends);
    this.before = Float64Array.from(before);
  }
  until(time) {
    const begun = lowerBound(this.begins, time);
    if (begun === 0) return 0;
    return this.before[begun] - Math.max(this.ends[begun - 1] - time, 0);
  }
  between(from, to) {
    return this.until(to) - this.until(from);
  }
}

// A value that goes up and down: add() each part of it, then finish().
export class Steps {
  constructor() {
    this.changes = [];
    this.most = 0;
  }
  add(begin, end, value) {
    this.changes.push([begin, value], [end, -value]);
  }
  finish() {
    this.changes.sort((a, b) => a[0] - b[0]);
    const count = this.changes.length;
    this.times = new Float64Array(count);
    this.values = new Float64Array(count); // from that time on
    this.before = new Float64Array(count); // the integral up to that time
    let value = 0;
    for (let i = 0; i < count; ++i) {
      this.times[i] = this.changes[i][0];
      if (i > 0 && Number.isFinite(this.times[i])) {
        this.before[i] = this.before[i - 1] + value * (this.times[i] - this.times[i - 1]);
      }
      value += this.changes[i][1];
      this.values[i] = value;
      this.most = Math.max(this.most, value);
    }
    this.changes = null;
  }
  valueAt(time) {
    const begun = lowerBound(this.times, time + 1e-9);
    return begun > 0 ? this.values[begun - 1] : 0;
  }
  until(time) {
    const begun = lowerBound(this.times, time);
    if (begun === 0) return 0;
    return this.before[begun - 1] + this.values[begun - 1] * (time - this.times[begun - 1]);
  }
  mean(from, to) {
    return to > from ? (this.until(to) - this.until(from)) / (to - from) : this.valueAt(from);
  }
}

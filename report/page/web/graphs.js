// SPDX-License-Identifier: Zlib
// The graphs below the lanes: each gives its value for any stretch of time.
import { Steps, lowerBound } from './sums.js';
import { bytesText, countText } from './units.js';

// { label, colour, most, value(from, to), text(most) }; without `most` it is as tall as it gets.
export function graphsOf(data, lanes) {
  const graphs = [];
  const workers = lanes.filter((lane) => lane.kind === 'main' || lane.kind === 'worker');
  if (workers.length > 0) {
    graphs.push({
      label: 'cores busy',
      colour: 'decode',
      most: workers.length,
      value: (from, to) =>
        workers.reduce((sum, lane) => sum + lane.busy.between(from, to), 0) / (to - from),
      text: (most) => (most === 1 ? '1 thread' : `${most} threads`),
    });
  }
  const { reads } = data;
  for (const [label, cached, tint] of [['disk', 0, 'read'], ['page cache', 1, 'cache']]) {
    const rate = new Steps(reads.count);
    for (let i = 0; i < reads.count; ++i) {
      if (reads.cached[i] !== cached) continue;
      const begin = reads.from[i];
      const end = Math.max(reads.to[i], begin + 1);
      rate.add(begin, end, reads.bytes[i] / (end - begin));
    }
    rate.finish();
    if (rate.most === 0) continue;
    graphs.push({
      label,
      colour: tint,
      value: (from, to) => rate.mean(from, to),
      text: (most) => `${bytesText(most * 1e6)}/s`,
    });
  }
  for (const counter of data.counters) {
    const steps = new Steps(counter.times.length);
    counter.times.forEach((time, i) => {
      steps.add(time * data.tick, (counter.times[i + 1] ?? Infinity) * data.tick, counter.values[i]);
    });
    steps.finish();
    const isBytes = counter.name.endsWith('bytes');
    graphs.push({
      label: counter.name.replaceAll('_', ' '),
      colour: 'unpack',
      value: (from, to) => steps.mean(from, to),
      text: (most) => (isBytes ? bytesText(most) : countText(most)),
    });
  }
  const ends = data.files_done;
  if (ends.length > 0) {
    graphs.push({
      label: 'files done',
      colour: 'finalize',
      most: ends.length,
      value: (from, to) => lowerBound(ends, to),
      text: (most) => countText(most),
    });
  }
  return graphs;
}

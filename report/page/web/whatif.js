// SPDX-License-Identifier: Zlib
// An estimate: the measured costs of the files, replayed over other threads and disks.
import { byId } from './dom.js';
import { percentText, timeText } from './units.js';

// Gives a time to each of `slots` that is free first.
class Slots {
  constructor(count) {
    this.free = new Array(Math.max(count, 1)).fill(0); // a heap, earliest on top
  }
  // Takes the slot that is free first, not before `ready`; returns the end.
  take(ready, duration) {
    const { free } = this;
    const end = Math.max(free[0], ready) + duration;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= free.length) break;
      if (child + 1 < free.length && free[child + 1] < free[child]) ++child;
      if (free[child] >= end) break;
      free[at] = free[child];
      at = child;
    }
    free[at] = end;
    return end;
  }
}

// Files are read in their order by as many reads at a time as there were, then worked on in the
// order in which they arrive. Returns the time from the first read to the last end.
export function replay(files, how) {
  const disk = new Slots(how.reads);
  const arrived = [];
  for (const file of files) {
    if (how.leaves(file)) continue;
    const ready = file.device > 0 ? disk.take(0, file.device / how.disk) : 0;
    const [resolve, read, unpack, decode, finalize] = file.stages;
    arrived.push({ ready, work: resolve + read + unpack + decode / how.decode + finalize });
  }
  arrived.sort((a, b) => a.ready - b.ready);
  if (how.longestFirst) arrived.sort((a, b) => b.work - a.work || a.ready - b.ready);
  const threads = new Slots(how.threads);
  let end = 0;
  for (const file of arrived) end = Math.max(end, threads.take(file.ready, file.work));
  return end;
}

export class WhatIf {
  constructor(data) {
    this.data = data;
    this.files = data.order.map((id) => data.files[id]);
    this.byCost = [...this.files].sort((a, b) => b.total - a.total);
    const measured = Math.max(data.load_us, 1);
    this.reads = Math.max(data.reads_at_once, 1);
    const same = this.total({ threads: data.threads, decode: 1, disk: 1, left: 0 });
    this.scale = same > 0 ? measured / same : 1;
    this.off = Math.abs(1 - same / measured);
    for (const id of ['if-threads', 'if-decode', 'if-disk', 'if-left', 'if-longest']) {
      byId(id).addEventListener('input', () => this.update());
    }
    byId('if-threads').value = data.threads;
    byId('if-left').max = Math.min(100, Math.max(this.files.length - 1, 0));
    byId('if-reset').addEventListener('click', () => {
      byId('what-if-form').reset();
      byId('if-threads').value = data.threads;
      this.update();
    });
    this.update();
  }

  total({ threads, decode, disk, left, longestFirst = false }) {
    const later = new Set(this.byCost.slice(0, left));
    return replay(this.files, {
      threads, decode, disk, longestFirst, reads: this.reads, leaves: (file) => later.has(file),
    });
  }

  update() {
    const value = (id) => Number(byId(id).value);
    // The last step of the disk is a load from the page cache.
    const disk = value('if-disk') >= 9 ? Infinity : value('if-disk');
    const left = value('if-left');
    byId('if-threads-value').textContent = String(value('if-threads'));
    byId('if-decode-value').textContent = `${value('if-decode')} ×`;
    byId('if-disk-value').textContent = disk === Infinity ? 'cached' : `${disk} ×`;
    byId('if-left-value').textContent = String(left);
    const now = this.data.mount_us + this.scale * this.total({
      threads: value('if-threads'),
      decode: value('if-decode'),
      disk,
      left,
      longestFirst: byId('if-longest').checked,
    });
    const before = this.data.mount_us + this.data.load_us;
    byId('if-total').textContent = timeText(now);
    byId('if-compared').textContent = now < before
      ? `instead of ${timeText(before)}: ${percentText(before - now, before)} less`
      : `measured: ${timeText(before)}`;
    byId('if-error').textContent =
      `An estimate: the measured costs of ${this.files.length} files, replayed. ` +
      `For the load as it was it is ${percentText(this.off, 1)} off, which is taken out. ` +
      `Before them ${timeText(this.data.mount_us)} to mount the archives, which stay as they are.`;
  }
}

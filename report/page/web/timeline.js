// SPDX-License-Identifier: Zlib
// The timeline: what it shows, where, and what the pointer and the keys do with it.
import { graphsOf } from './graphs.js';
import { Painter, gap, labelWidth, laneHeight, readsHeight } from './painter.js';
import { Busy, Steps, lowerBound } from './sums.js';
import { bytesText, countText, timeText } from './units.js';

const needsShown = 40;

const isWait = (data, name) => data.names[name].wait;

export class Timeline {
  // `selected(file)` is called with a file's number, or -1.
  constructor(canvas, tip, data, selected) {
    this.canvas = canvas;
    this.tip = tip;
    this.data = data;
    this.selected = selected;
    this.file = -1;
    this.steps = []; // of the file: see stepsOf() and needsOf()
    this.needs = [];
    this.found = null; // the numbers of the files that match a search
    this.picked = null; // what was clicked: { lane, begin, end, name }, lane by its id
    this.showPath = true;
    this.pointers = new Map();
    this.lanes = data.lanes.filter((lane) => lane.kind !== 'read');
    for (const lane of this.lanes) {
      lane.roots = rootsOf(lane.spans);
      lane.busy = new Busy(lane.spans, (name) => !isWait(data, name));
    }
    this.graphs = graphsOf(data, this.lanes);
    this.inFlight = new Steps(data.reads.count);
    this.atDevice = new Steps(data.reads.count);
    for (let i = 0; i < data.reads.count; ++i) {
      this.inFlight.add(data.reads.begin[i], data.reads.end[i], data.reads.weight[i]);
      this.atDevice.add(data.reads.from[i], data.reads.to[i], data.reads.weight[i]);
    }
    this.inFlight.finish();
    this.atDevice.finish();
    this.painter = new Painter(this);
    this.reset();
    this.listen();
    new ResizeObserver(() => this.draw()).observe(canvas);
  }

  reset() {
    this.from = 0;
    this.to = Math.max(this.data.total_us, 1);
    this.draw();
  }

  draw() {
    this.painter.draw();
  }

  select(file) {
    this.file = file;
    this.steps = file < 0 ? [] : this.stepsOf(file);
    this.needs = file < 0 ? [] : this.needsOf(file);
    this.picked = null;
    this.draw();
  }

  // What was clicked, or null: draws who woke it and whom it woke.
  pick(picked) {
    this.picked = picked;
    this.draw();
  }

  // The wakes that led to what was picked, and those that it made.
  wakesOfPicked() {
    const { lane, begin, end, isWait } = this.picked;
    const near = this.data.tick * 1.5;
    const released = isWait ? end : begin;
    const wakes = this.data.wakes;
    return {
      by: wakes.find((each) => each.toLane === lane && Math.abs(each.to - released) <= near),
      of: isWait ? [] : wakes.filter((each) =>
        each.fromLane === lane && each.from >= begin && each.from <= end),
    };
  }

  // "main waited 3.20 ms (budget full); worker 1 ended it, in decode of gfx/a.png."
  wakeText() {
    if (!this.picked) return '';
    const { lane, begin, end, name, isWait } = this.picked;
    const { by, of } = this.wakesOfPicked();
    const own = this.data.lanes[lane].name;
    let text = isWait ? `${own} waited ${timeText(end - begin)} (${name})` : `${own}: ${name}`;
    if (by) text += `; ${this.wakerText(by)} ${isWait ? 'ended the wait' : 'had woken it'}`;
    else if (isWait) text += '; who ended the wait is not recorded';
    if (of.length > 0) {
      const woken = new Set(of.map((each) => this.data.lanes[each.toLane].name));
      text += `; it woke ${[...woken].join(', ')}`;
    }
    return `${text}.`;
  }

  wakerText({ fromLane, from }) {
    if (fromLane < 0) return 'a read';
    const lane = this.data.lanes[fromLane];
    const { spans } = lane;
    for (let i = lowerBound(spans.begin, from + this.data.tick) - 1; i >= 0; --i) {
      if (spans.end[i] < from || isWait(this.data, spans.name[i])) break;
      const file = this.data.files[spans.file[i]];
      const name = this.data.names[spans.name[i]].name;
      return `${lane.name}, in ${name}${file ? ` of ${file.path}` : ''},`;
    }
    return lane.name;
  }

  find(numbers) {
    this.found = numbers;
    this.draw();
  }

  // Shows a stretch of time, with some room at both sides.
  show(begin, end) {
    const room = Math.max((end - begin) * 0.25, 20);
    this.setView(begin - room, end + room);
  }

  setView(from, to) {
    const total = Math.max(this.data.total_us, 1);
    const length = Math.min(Math.max(to - from, 2), total);
    this.from = Math.min(Math.max(from, 0), total - length);
    this.to = this.from + length;
    this.draw();
  }

  zoom(factor, at = (this.from + this.to) / 2) {
    this.setView(at - (at - this.from) * factor, at + (this.to - at) * factor);
  }

  // --- Places -----------------------------------------------------------------------------------
  x(time) {
    return labelWidth + ((time - this.from) / (this.to - this.from)) * this.plotWidth;
  }
  timeAt(x) {
    return this.from + ((x - labelWidth) / this.plotWidth) * (this.to - this.from);
  }
  laneTop(index) {
    return index * laneHeight;
  }
  get lanesHeight() {
    return this.lanes.length * laneHeight;
  }

  // Where a file was, in order: { lane, name, begin, end }; lane -1 is a read.
  stepsOf(file) {
    const steps = [];
    this.lanes.forEach((lane, index) => {
      const { spans } = lane;
      for (let i = 0; i < spans.count; ++i) {
        if (spans.file[i] !== file || isWait(this.data, spans.name[i])) continue;
        const name = this.data.names[spans.name[i]].name;
        steps.push({ lane: index, name, begin: spans.begin[i], end: spans.end[i] });
      }
    });
    const { reads } = this.data;
    for (let i = 0; i < reads.count; ++i) {
      if (reads.file[i] !== file) continue;
      const name = reads.cached[i] ? 'read from the page cache' : 'read from the disk';
      if (reads.served[i] > reads.begin[i]) {
        const queue = { name: 'in the queue', begin: reads.begin[i], end: reads.served[i] };
        steps.push({ lane: -1, ...queue });
      }
      const parts = [
        ['waits for its solid block', reads.served[i], reads.from[i]],
        [name, reads.from[i], reads.to[i]],
        ['unpacks its solid block', reads.to[i], reads.end[i]],
      ];
      for (const [what, begin, end] of parts) {
        if (end > begin || what === name) steps.push({ lane: -1, name: what, begin, end });
      }
    }
    for (const delay of this.data.delays) {
      if (delay.file !== file) continue;
      const isRoom = delay.name < 0;
      const by = this.data.files[delay.by]?.path;
      let name = `waits for ${isRoom ? 'room' : this.data.names[delay.name].name}`;
      if (by) name += isRoom ? `, which ${by} had` : `, at last for ${by}`;
      steps.push({ lane: -1, name, begin: delay.begin, end: delay.end });
    }
    return steps.sort((a, b) => a.begin - b.begin || b.end - a.end);
  }

  // What a file waited for, and what waited for it: from the step that ended the wait to the one
  // that went on. Those that waited longest, if they are many.
  needsOf(file) {
    const near = this.data.tick * 1.5;
    const steps = (id) => (id === file ? this.steps : this.stepsOf(id));
    return this.data.delays
      .filter((each) => each.name >= 0 && each.by >= 0 && (each.file === file || each.by === file))
      .sort((a, b) => b.end - b.begin - (a.end - a.begin))
      .slice(0, needsShown)
      .map((delay) => ({
        from: steps(delay.by).findLast((step) =>
          step.lane >= 0 && step.end <= delay.end + near),
        to: steps(delay.file).find((step) =>
          step.lane >= 0 && step.begin >= delay.end - near),
      }))
      .filter((need) => need.from && need.to);
  }

  // --- What is under the pointer ----------------------------------------------------------------
  at(x, y) {
    if (x < labelWidth) return null;
    const time = this.timeAt(x);
    const index = Math.floor(y / laneHeight);
    if (index < this.lanes.length) return this.spanAt(this.lanes[index], time);
    const top = this.lanesHeight + gap;
    if (this.data.reads.count > 0 && y >= top && y < top + readsHeight) {
      const device = this.atDevice.mean(time, time);
      const queued = this.inFlight.mean(time, time) - device;
      const waiting = `${countText(queued)} in the queue or at a solid block`;
      return { lines: [`${countText(device)} at the device, ${waiting}`] };
    }
    return null;
  }

  // The innermost span at a time, or the closest within three pixels.
  spanAt(lane, time) {
    const { spans, roots } = lane;
    const slack = ((this.to - this.from) / this.plotWidth) * 3;
    let best = -1;
    let off = slack;
    const first = lowerBound(spans.begin, time - slack);
    for (let i = first > 0 ? roots[first - 1] : 0; i < spans.count; ++i) {
      if (spans.begin[i] > time + slack) break;
      const distance = Math.max(spans.begin[i] - time, time - spans.end[i], 0);
      if (distance <= off) {
        best = i;
        off = distance;
      }
    }
    if (best < 0) return null;
    const name = this.data.names[spans.name[best]];
    const file = this.data.files[spans.file[best]];
    const sum = spans.sums.get(best);
    const lines = [`${sum ? `${countText(sum)} times ` : ''}${name.wait ? 'waiting: ' : ''}${name.name}`,
      timeText(spans.end[best] - spans.begin[best])];
    if (file) lines.push(file.path, bytesText(file.bytes));
    const picked = { lane: lane.id, begin: spans.begin[best], end: spans.end[best],
      name: name.name, isWait: name.wait };
    return { file: file ? file.id : -1, lines, picked };
  }

  // --- Input ------------------------------------------------------------------------------------
  listen() {
    const { canvas } = this;
    canvas.addEventListener('wheel', (event) => this.onWheel(event), { passive: false });
    canvas.addEventListener('pointerdown', (event) => this.onDown(event));
    canvas.addEventListener('pointermove', (event) => this.onMove(event));
    canvas.addEventListener('pointerup', (event) => this.onUp(event));
    canvas.addEventListener('pointercancel', (event) => this.pointers.delete(event.pointerId));
    canvas.addEventListener('pointerleave', () => this.tip.classList.remove('shown'));
    canvas.addEventListener('keydown', (event) => this.onKey(event));
  }

  // The wheel zooms with Ctrl or once the canvas has the focus; otherwise it scrolls the page.
  onWheel(event) {
    if (!event.ctrlKey && document.activeElement !== this.canvas) return;
    event.preventDefault();
    if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      const by = ((event.deltaX || event.deltaY) / this.plotWidth) * (this.to - this.from);
      this.setView(this.from + by, this.to + by);
    } else {
      this.zoom(Math.exp(event.deltaY * 0.0015), this.timeAt(event.offsetX));
    }
  }

  onDown(event) {
    this.canvas.setPointerCapture(event.pointerId);
    this.pointers.set(event.pointerId, event.offsetX);
    this.moved = 0;
    this.grip = this.gripOf();
  }

  // Where the fingers hold the timeline: their middle, and how far they are apart.
  gripOf() {
    const xs = [...this.pointers.values()];
    const middle = xs.reduce((sum, x) => sum + x, 0) / Math.max(xs.length, 1);
    const apart = xs.length > 1 ? Math.max(Math.abs(xs[0] - xs[1]), 10) : 0;
    return { middle, apart };
  }

  onMove(event) {
    if (!this.pointers.has(event.pointerId)) {
      this.showTip(event);
      return;
    }
    this.pointers.set(event.pointerId, event.offsetX);
    const now = this.gripOf();
    const before = this.grip;
    this.moved += Math.abs(now.middle - before.middle) + Math.abs(now.apart - before.apart);
    const by = ((before.middle - now.middle) / this.plotWidth) * (this.to - this.from);
    this.setView(this.from + by, this.to + by);
    if (now.apart > 0 && before.apart > 0) {
      this.zoom(before.apart / now.apart, this.timeAt(now.middle));
    }
    this.grip = now;
  }

  onUp(event) {
    this.pointers.delete(event.pointerId);
    this.grip = this.gripOf();
    if (this.moved > 4) return;
    const found = this.at(event.offsetX, event.offsetY);
    const file = found && found.file >= 0 && found.file !== this.file ? found.file : -1;
    this.select(file);
    this.pick(found?.picked ?? null);
    this.selected(file);
  }

  onKey(event) {
    const step = (this.to - this.from) * 0.2;
    const actions = {
      ArrowLeft: () => this.setView(this.from - step, this.to - step),
      ArrowRight: () => this.setView(this.from + step, this.to + step),
      '+': () => this.zoom(1 / 1.6),
      '=': () => this.zoom(1 / 1.6),
      '-': () => this.zoom(1.6),
      0: () => this.reset(),
      Home: () => this.setView(0, this.to - this.from),
      End: () => this.setView(this.data.total_us - (this.to - this.from), this.data.total_us),
      Escape: () => {
        this.select(-1);
        this.selected(-1);
      },
    };
    const action = actions[event.key];
    if (!action || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    action();
  }

  showTip(event) {
    const found = this.at(event.offsetX, event.offsetY);
    this.tip.classList.toggle('shown', found !== null);
    if (!found) return;
    this.tip.replaceChildren(...found.lines.map((line) => {
      const row = document.createElement('div');
      row.textContent = line;
      return row;
    }));
    this.tip.style.left = `${Math.max(8, Math.min(event.clientX + 14, innerWidth - 340))}px`;
    this.tip.style.top = `${event.clientY + 16}px`;
  }
}

// For each span the number of the outermost one around it.
function rootsOf(spans) {
  const roots = new Uint32Array(spans.count);
  for (let i = 0; i < spans.count; ++i) roots[i] = spans.depth[i] === 0 ? i : roots[i - 1];
  return roots;
}

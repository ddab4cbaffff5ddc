// SPDX-License-Identifier: Zlib
// Draws a timeline: its lanes, the reads, the graphs, and what lies over the lanes.
import { colour } from './dom.js';
import { lowerBound } from './sums.js';
import { countText, lastElement, timeText } from './units.js';

export const labelWidth = 104;
export const laneHeight = 26;
export const readsHeight = 44;
export const gap = 8;
const graphHeight = 38;
const axisHeight = 22;
const dimmed = 0.16;

// The colour of a stage, or of a wait.
function fillOf(name) {
  return colour(name.wait ? 'wait' : name.colour);
}

export class Painter {
  constructor(view) {
    this.view = view;
    this.data = view.data;
  }

  // --- Drawing ----------------------------------------------------------------------------------
  draw() {
    const { canvas } = this.view;
    const width = canvas.clientWidth;
    if (width === 0) return;
    this.view.plotWidth = Math.max(width - labelWidth - 4, 10);
    const hasReads = this.data.reads.count > 0;
    const height =
      this.view.lanesHeight + (hasReads ? readsHeight + gap : 0) +
      this.view.graphs.length * (graphHeight + gap) + axisHeight + gap;
    const ratio = window.devicePixelRatio || 1;
    canvas.style.height = `${height}px`;
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    const pen = canvas.getContext('2d');
    this.pen = pen;
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.font = '12px system-ui, sans-serif';
    pen.textBaseline = 'middle';
    this.drawGrid(height);
    this.view.lanes.forEach((lane, index) => this.drawLane(lane, index));
    if (this.view.showPath && this.view.file < 0 && !this.view.found) this.drawPath();
    if (this.view.file >= 0) this.drawArrows();
    if (this.view.picked) this.drawWakes();
    let top = this.view.lanesHeight + gap;
    if (hasReads) {
      this.drawReads(top);
      top += readsHeight + gap;
    }
    for (const graph of this.view.graphs) {
      this.drawGraph(graph, top);
      top += graphHeight + gap;
    }
  }

  inPlot(top, height, draw) {
    this.pen.save();
    this.pen.beginPath();
    this.pen.rect(labelWidth, top, this.view.plotWidth, height);
    this.pen.clip();
    draw();
    this.pen.restore();
  }

  label(text, top, height) {
    this.pen.fillStyle = colour('dim');
    this.pen.fillText(fitted(this.pen, text, labelWidth - 14), 8, top + height / 2);
  }

  // What the top of a graph stands for, at its right end.
  chip(text, top) {
    const { pen } = this;
    const right = labelWidth + this.view.plotWidth - 4;
    const width = pen.measureText(text).width;
    pen.fillStyle = colour('card');
    pen.fillRect(right - width - 4, top + 2, width + 6, 15);
    pen.fillStyle = colour('dim');
    pen.fillText(text, right - width, top + 10);
  }

  drawGrid(height) {
    const { pen } = this;
    const step = niceStep((this.view.to - this.view.from) / (this.view.plotWidth / 110));
    for (let time = Math.ceil(this.view.from / step) * step; time <= this.view.to; time += step) {
      const x = Math.round(this.view.x(time)) + 0.5;
      pen.strokeStyle = colour('line');
      pen.beginPath();
      pen.moveTo(x, 0);
      pen.lineTo(x, height - axisHeight);
      pen.stroke();
      pen.fillStyle = colour('dim');
      const text = timeText(Math.round(time * 10) / 10);
      if (x + pen.measureText(text).width < labelWidth + this.view.plotWidth) {
        pen.fillText(text, x + 3, height - axisHeight / 2);
      }
    }
  }

  isDimmed(file) {
    if (this.view.file >= 0) return file !== this.view.file;
    return this.view.found !== null && !this.view.found.has(file);
  }

  drawLane(lane, index) {
    const top = this.view.laneTop(index);
    this.label(lane.name, top, laneHeight);
    this.inPlot(top, laneHeight, () => {
      const { spans } = lane;
      const column = new Column(this, top);
      for (let i = this.firstSeen(lane); i < spans.count && spans.begin[i] < this.view.to; ++i) {
        this.drawSpan(spans, i, top, column);
      }
      column.paint();
    });
  }

  firstSeen(lane) {
    const { spans, roots } = lane;
    const next = lowerBound(spans.begin, this.view.from);
    return next > 0 ? roots[next - 1] : 0;
  }

  drawSpan(spans, i, top, column) {
    const { pen } = this;
    const begin = this.view.x(spans.begin[i]);
    const end = this.view.x(spans.end[i]);
    if (end < labelWidth) return;
    const name = this.data.names[spans.name[i]];
    const isDim = !name.wait && this.isDimmed(spans.file[i]);
    if (end - begin < 1 && !(this.view.file >= 0 && !isDim)) {
      column.add(begin, end - begin, name, isDim);
      return;
    }
    const depth = Math.min(spans.depth[i], 3);
    const inset = name.wait ? 8 : 3 + depth * 4;
    pen.globalAlpha = isDim ? dimmed : 1;
    pen.fillStyle = fillOf(name);
    pen.fillRect(begin, top + inset, Math.max(end - begin - 0.5, 1), laneHeight - 3 - inset);
    const left = Math.max(begin, labelWidth);
    if (end - left > 46 && !isDim) this.drawName(spans, i, name, left, end, top);
    pen.globalAlpha = 1;
  }

  drawName(spans, i, name, left, end, top) {
    const file = this.data.files[spans.file[i]];
    const text = name.wait ? name.name : file ? lastElement(file.path) : name.name;
    this.pen.fillStyle = name.wait ? colour('dim') : colour('on-stage');
    const shown = fitted(this.pen, text, end - left - 8);
    this.pen.fillText(shown, left + 4, top + laneHeight / 2 + 1);
  }

  // What the end of the load waited for, from the end back to its start.
  drawPath() {
    const { pen } = this;
    pen.strokeStyle = colour('ink');
    pen.lineWidth = 1.5;
    this.inPlot(0, this.view.lanesHeight, () => {
      pen.beginPath();
      let drawn = -Infinity; // up to where; what is narrower than a pixel and a half is left out
      let isOpen = false;
      for (const step of this.data.critical) {
        const lane = this.view.lanes.findIndex((each) => each.id === step.lane);
        if (lane < 0 || step.end < this.view.from || step.begin > this.view.to) {
          isOpen = false;
          continue;
        }
        const [begin, end] = [this.view.x(step.begin), this.view.x(step.end)];
        if (end - drawn < 1.5) continue;
        const y = this.view.laneTop(lane) + laneHeight - 1.5;
        if (isOpen) pen.lineTo(Math.max(begin, drawn), y);
        else pen.moveTo(begin, y);
        pen.lineTo(end, y);
        drawn = end;
        isOpen = true;
      }
      pen.stroke();
    });
    pen.lineWidth = 1;
  }

  // From each stage of the selected file to the next, and dashed from what it needed, or to what
  // needed it.
  drawArrows() {
    const { pen } = this;
    const steps = this.view.steps.filter((step) => step.lane >= 0);
    pen.strokeStyle = colour('ink');
    pen.fillStyle = colour('ink');
    this.inPlot(0, this.view.lanesHeight, () => {
      for (let i = 1; i < steps.length; ++i) {
        const [from, to] = [steps[i - 1], steps[i]];
        if (from.lane === to.lane && this.view.x(to.begin) - this.view.x(from.end) < 4) continue;
        this.arrow(from.end, this.middleOf(from.lane), to.begin, this.middleOf(to.lane));
      }
      pen.setLineDash([5, 3]);
      for (const { from, to } of this.view.needs) {
        this.arrow(from.end, this.middleOf(from.lane), to.begin, this.middleOf(to.lane));
      }
      pen.setLineDash([]);
    });
  }

  middleOf(lane) {
    return this.view.laneTop(lane) + laneHeight / 2;
  }

  // Who woke what was clicked, and whom it woke. Reads are below the lanes.
  drawWakes() {
    const { pen } = this;
    const { by, of } = this.view.wakesOfPicked();
    const y = (id) => (id < 0 ? this.view.lanesHeight + gap
      : this.middleOf(this.view.lanes.findIndex((lane) => lane.id === id)));
    pen.strokeStyle = colour('ink');
    pen.fillStyle = colour('ink');
    pen.lineWidth = 2;
    this.inPlot(0, this.view.lanesHeight + gap, () => {
      for (const wake of by ? [by, ...of] : of) {
        this.arrow(wake.from, y(wake.fromLane), wake.to, y(wake.toLane));
      }
    });
    pen.lineWidth = 1;
  }

  arrow(from, y0, to, y1) {
    const { pen } = this;
    const x0 = this.view.x(from);
    const x1 = this.view.x(to);
    pen.beginPath();
    pen.moveTo(x0, y0);
    pen.bezierCurveTo(x0 + 14, y0, x1 - 14, y1, x1, y1);
    pen.stroke();
    pen.beginPath();
    pen.moveTo(x1, y1);
    pen.lineTo(x1 - 5, y1 - 3);
    pen.lineTo(x1 - 5, y1 + 3);
    pen.fill();
  }

  drawReads(top) {
    const { pen } = this;
    const most = Math.max(this.view.inFlight.most, 1);
    this.label('reads', top, readsHeight);
    this.inPlot(top, readsHeight, () => {
      const isDim = this.view.file >= 0 || this.view.found !== null;
      pen.globalAlpha = isDim ? 0.35 : 1;
      this.area(this.view.inFlight, most, top, readsHeight, colour('queue'));
      this.area(this.view.atDevice, most, top, readsHeight, colour('read'));
      pen.globalAlpha = 1;
      if (isDim) this.drawFoundReads(top);
    });
    this.chip(`${countText(most)} in flight`, top);
  }

  drawFoundReads(top) {
    const { reads } = this.data;
    const last = lowerBound(reads.begin, this.view.to);
    for (let i = 0; i < last; ++i) {
      if (reads.end[i] < this.view.from || this.isDimmed(reads.file[i])) continue;
      const queued = this.view.x(reads.begin[i]);
      const from = this.view.x(reads.from[i]);
      const to = this.view.x(reads.to[i]);
      this.pen.fillStyle = colour('queue');
      this.pen.fillRect(queued, top + 14, Math.max(from - queued, 1), 8);
      this.pen.fillStyle = colour('read');
      this.pen.fillRect(from, top + 14, Math.max(to - from, 1.5), 16);
      this.pen.fillStyle = colour('unpack');
      if (reads.end[i] > reads.to[i]) {
        this.pen.fillRect(to, top + 14, Math.max(this.view.x(reads.end[i]) - to, 1.5), 16);
      }
    }
  }

  area(steps, most, top, height, fill) {
    const { pen } = this;
    pen.fillStyle = fill;
    const columns = Math.ceil(this.view.plotWidth);
    for (let i = 0; i < columns; ++i) {
      const x = labelWidth + i;
      const value = steps.mean(this.view.timeAt(x), this.view.timeAt(x + 1));
      const tall = (Math.min(value / most, 1)) * (height - 2);
      if (tall > 0) pen.fillRect(x, top + height - tall, 1, tall);
    }
  }

  drawGraph(graph, top) {
    const { pen } = this;
    this.label(graph.label, top, graphHeight);
    this.inPlot(top, graphHeight, () => {
      const columns = Math.ceil(this.view.plotWidth / 2);
      const values = [];
      for (let i = 0; i < columns; ++i) {
        const x = labelWidth + i * 2;
        values.push(graph.value(this.view.timeAt(x), this.view.timeAt(x + 2)));
      }
      const most = graph.most ?? Math.max(...values, 1e-9);
      pen.fillStyle = colour(graph.colour);
      values.forEach((value, i) => {
        const tall = Math.min(value / most, 1) * (graphHeight - 2);
        if (tall > 0) pen.fillRect(labelWidth + i * 2, top + graphHeight - tall, 2, tall);
      });
      this.chip(graph.text(most), top);
    });
    pen.strokeStyle = colour('line');
    pen.strokeRect(labelWidth + 0.5, top + 0.5, this.view.plotWidth, graphHeight);
  }
}

// Spans that are narrower than a pixel: each column shows what took most of it.
class Column {
  constructor(painter, top) {
    this.painter = painter;
    this.top = top;
    this.at = -1;
    this.shares = new Map();
  }
  add(x, width, name, isDim) {
    if (Math.floor(x) !== this.at) {
      this.paint();
      this.at = Math.floor(x);
    }
    const share = this.shares.get(name) || { width: 0, isDim: true };
    share.width += width;
    share.isDim = share.isDim && isDim;
    this.shares.set(name, share);
  }
  paint() {
    let best = null;
    let sum = 0;
    for (const [name, share] of this.shares) {
      sum += share.width;
      if (!best || share.width > best.width) best = { name, ...share };
    }
    this.shares.clear();
    if (!best) return;
    const { pen } = this.painter;
    pen.globalAlpha = best.isDim ? dimmed : Math.min(1, 0.35 + sum);
    pen.fillStyle = fillOf(best.name);
    pen.fillRect(this.at, this.top + 3, 1, laneHeight - 6);
    pen.globalAlpha = 1;
  }
}

function niceStep(least) {
  const power = 10 ** Math.floor(Math.log10(Math.max(least, 1e-6)));
  return power * [1, 2, 5, 10].find((factor) => power * factor >= least);
}

// As much of a text as fits, with dots for the rest.
function fitted(pen, text, width) {
  if (pen.measureText(text).width <= width) return text;
  let length = Math.min(text.length, Math.max(0, Math.floor(width / 5)));
  while (length > 0 && pen.measureText(`${text.slice(0, length)}…`).width > width) --length;
  return length > 1 ? `${text.slice(0, length)}…` : '';
}

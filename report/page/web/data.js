// SPDX-License-Identifier: Zlib
// The data of the page. Lists of spans are varints in base64: page_data.cpp writes them.

// Numbers of up to 53 bits, seven bits a byte, lowest first.
export class Varints {
  constructor(base64) {
    this.text = atob(base64);
    this.at = 0;
  }
  next() {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = this.text.charCodeAt(this.at++);
      value += (byte & 127) * factor;
      if (byte < 128) return value;
    }
  }
  // Alternates between the signs: 0, -1, 1, -2, ...
  nextSigned() {
    const value = this.next();
    return value % 2 ? -(value + 1) / 2 : value / 2;
  }
}

// The spans of one thread by begin; parents come before their children. Times are microseconds.
export function spansOf(lane, tick) {
  const spans = {
    count: lane.count,
    begin: new Float64Array(lane.count),
    end: new Float64Array(lane.count),
    name: new Uint16Array(lane.count),
    file: new Int32Array(lane.count),
    depth: new Uint8Array(lane.count),
    sums: sumsOf(lane.sums),
  };
  const numbers = new Varints(lane.spans);
  const open = [];
  let begin = 0;
  let file = 0;
  for (let i = 0; i < lane.count; ++i) {
    begin += numbers.next();
    spans.begin[i] = begin * tick;
    spans.end[i] = (begin + numbers.next()) * tick;
    spans.name[i] = numbers.next();
    file += numbers.nextSigned();
    spans.file[i] = file - 1;
    while (open.length && open[open.length - 1] <= spans.begin[i]) open.pop();
    spans.depth[i] = Math.min(open.length, 255);
    open.push(spans.end[i]);
  }
  return spans;
}

// How many a span stands for, if not for one, by its number.
function sumsOf(list) {
  const sums = new Map();
  if (!list) return sums;
  const numbers = new Varints(list.list);
  for (let i = 0, at = 0; i < list.count; ++i) {
    at += numbers.next();
    sums.set(at, numbers.next());
  }
  return sums;
}

// Reads by begin: in the queue from `begin` to `served`, at the device until `end`. Of a solid block
// it is at the device only from `from` to `to`: first it waits for another to unpack the block, and
// last it unpacks the block itself.
export function readsOf(list, tick) {
  const reads = {
    count: list.count,
    begin: new Float64Array(list.count),
    served: new Float64Array(list.count),
    end: new Float64Array(list.count),
    from: new Float64Array(list.count),
    to: new Float64Array(list.count),
    file: new Int32Array(list.count),
    bytes: new Float64Array(list.count),
    cached: new Uint8Array(list.count),
    weight: new Float64Array(list.count).fill(1), // how many it stands for, with their mean times
  };
  const numbers = new Varints(list.spans);
  let begin = 0;
  let file = 0;
  for (let i = 0; i < list.count; ++i) {
    begin += numbers.next();
    reads.begin[i] = begin * tick;
    reads.served[i] = (begin + numbers.next()) * tick;
    reads.end[i] = reads.served[i] + numbers.next() * tick;
    file += numbers.nextSigned();
    reads.file[i] = file - 1;
    reads.bytes[i] = numbers.next();
    const flags = numbers.next();
    reads.cached[i] = flags & 1;
    const [wait, unpack] = flags & 2 ? [numbers.next(), numbers.next()] : [0, 0];
    if (flags & 4) reads.weight[i] = numbers.next();
    reads.from[i] = reads.served[i] + wait * tick;
    reads.to[i] = Math.max(reads.end[i] - unpack * tick, reads.from[i]);
  }
  return reads;
}

// Paths share their beginning with the one before: "12|rest" keeps twelve characters of it.
export function pathsOf(list) {
  const paths = [];
  let last = '';
  for (const each of list) {
    const bar = each.indexOf('|');
    last = last.slice(0, Number(each.slice(0, bar))) + each.slice(bar + 1);
    paths.push(last);
  }
  return paths;
}

function numbersOf(base64, count) {
  const numbers = new Varints(base64);
  return Float64Array.from({ length: count }, () => numbers.next());
}

// Steps of the critical path: each begins where the last one ended. Lane -1 is a read.
function criticalOf(json, tick) {
  const numbers = new Varints(json.critical.steps);
  let begin = 0;
  return Array.from({ length: json.critical.count }, () => {
    const lane = numbers.next() - 1;
    const step = { lane, begin, end: begin + numbers.next() * tick, turn: numbers.next() };
    begin = step.end;
    return step;
  });
}

// Who ended which wait: the lane and the end of the wait, and the lane and the time of who did.
// Lane -1 is a read.
export function wakesOf(list, tick) {
  const numbers = new Varints(list.list);
  let to = 0;
  return Array.from({ length: list.count }, () => {
    const toLane = numbers.next();
    to += numbers.nextSigned();
    const fromLane = numbers.next() - 1;
    return { toLane, to: to * tick, fromLane, from: (to - numbers.next()) * tick };
  });
}

// Files that waited on no thread: for room in the memory budget (name -1), or for what the name says;
// and the file that gave up its room then, or let them go on.
export function delaysOf(list, tick) {
  const numbers = new Varints(list.list);
  let begin = 0;
  return Array.from({ length: list.count }, () => {
    begin += numbers.next();
    const end = begin + numbers.next();
    const [file, by, name] = [numbers.next() - 1, numbers.next() - 1, numbers.next() - 1];
    return { begin: begin * tick, end: end * tick, file, by, name };
  });
}

// Everything that the page knows, with times in microseconds since the load began.
export function readData(json) {
  const tick = 1 / json.ticks_per_us;
  const data = { ...json, tick };
  data.lanes = json.lanes.map((lane) => ({ ...lane, spans: spansOf(lane, tick) }));
  data.reads = readsOf(json.reads, tick);
  const paths = pathsOf(json.files.paths);
  const column = (name) => numbersOf(json.files[name], paths.length);
  const [state, mount, bytes, device] = ['state', 'mount', 'bytes', 'device'].map(column);
  const stages = [0, 1, 2, 3, 4].map((stage) => column(`stage${stage}`));
  data.files = paths.map((path, i) => ({
    id: i,
    path,
    mount: mount[i],
    type: typeOf(path),
    state: json.files.states[state[i]],
    bytes: bytes[i],
    device: device[i] * tick,
    stages: stages.map((stage) => stage[i] * tick),
    what: json.files.what[i] ?? '',
  }));
  for (const file of data.files) {
    file.work = file.stages.reduce((sum, time) => sum + time, 0);
    file.total = file.work + file.device;
  }
  const done = new Varints(json.files_done.times);
  let time = 0;
  data.files_done = Float64Array.from({ length: json.files_done.count },
    () => (time += done.next()) * tick);
  const order = new Varints(json.order.files);
  let file = 0;
  data.order = Array.from({ length: json.order.count }, () => (file += order.nextSigned()));
  data.critical = criticalOf(json, tick);
  data.wakes = wakesOf(json.wakes, tick);
  data.delays = delaysOf(json.delays, tick);
  return data;
}

export function typeOf(path) {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const dot = name.lastIndexOf('.');
  return dot > 0 ? name.slice(dot + 1).toLowerCase() : '';
}

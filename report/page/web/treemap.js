// SPDX-License-Identifier: Zlib
// Rectangles whose areas are bytes or times, by folder, type or mount. Squarified: Bruls, Huizing
// and van Wijk, Squarified Treemaps, 2000.
import { byId, element } from './dom.js';
import { bytesText, countText, percentText, timeText } from './units.js';

const tiles = 7; // colours in page.css

// Rectangles for values in descending order that fill `box`.
export function squarify(values, box) {
  const places = [];
  let { x, y, width, height } = box;
  let left = values.reduce((sum, value) => sum + value, 0);
  let at = 0;
  while (at < values.length && left > 0) {
    const side = Math.min(width, height);
    const scale = (width * height) / left;
    let row = 0;
    let sum = 0;
    let worst = Infinity;
    // One more into the row, as long as its rectangles get no longer.
    while (at + row < values.length) {
      const next = sum + values[at + row];
      const thick = (next * scale) / side;
      const largest = (values[at] * scale) / thick;
      const smallest = (values[at + row] * scale) / thick;
      const ratio = Math.max(largest / thick, thick / Math.max(smallest, 1e-9));
      if (row > 0 && ratio > worst) break;
      worst = ratio;
      sum = next;
      ++row;
    }
    const thick = (sum * scale) / side;
    let along = 0;
    for (let i = at; i < at + row; ++i) {
      const length = (values[i] * scale) / Math.max(thick, 1e-9);
      places.push(width >= height
        ? { x, y: y + along, width: thick, height: length }
        : { x: x + along, y, width: length, height: thick });
      along += length;
    }
    if (width >= height) {
      x += thick;
      width -= thick;
    } else {
      y += thick;
      height -= thick;
    }
    left -= sum;
    at += row;
  }
  return places;
}

export class Treemap {
  // `choose(files, name)` is called for a click on a group.
  constructor(data, choose) {
    this.data = data;
    this.choose = choose;
    this.box = byId('treemap');
    for (const id of ['map-by', 'map-of']) byId(id).addEventListener('change', () => this.draw());
    new ResizeObserver(() => this.draw()).observe(this.box);
  }

  groupOf(file) {
    switch (byId('map-by').value) {
      case 'type':
        return file.type || 'no extension';
      case 'mount':
        return this.data.mounts[file.mount]?.name ?? '';
      default: {
        const parts = file.path.split('/');
        return parts.length > 1 ? parts.slice(0, Math.min(2, parts.length - 1)).join('/') : '/';
      }
    }
  }

  draw() {
    const isTime = byId('map-of').value === 'time';
    const text = isTime ? timeText : bytesText;
    const groups = new Map();
    let total = 0;
    for (const file of this.data.files) {
      const value = isTime ? file.total : file.bytes;
      const name = this.groupOf(file);
      const group = groups.get(name) ?? { name, value: 0, files: [] };
      group.value += value;
      group.files.push(file);
      groups.set(name, group);
      total += value;
    }
    const sorted = [...groups.values()].filter((each) => each.value > 0)
      .sort((a, b) => b.value - a.value);
    const box = { x: 0, y: 0, width: this.box.clientWidth, height: this.box.clientHeight };
    const places = squarify(sorted.map((each) => each.value), box);
    const shown = [];
    places.forEach((place, i) => {
      if (place.width < 3 || place.height < 3) return;
      const group = sorted[i];
      const label = `${group.name}: ${text(group.value)}, ` +
        `${percentText(group.value, total)}, ${countText(group.files.length)} files`;
      const isWide = place.width > 60 && place.height > 18;
      const tile = element('button', {
        type: 'button', class: `tile tile-${i % tiles}`, title: label, 'aria-label': label,
      }, isWide ? group.name : '');
      Object.assign(tile.style, {
        left: `${place.x}px`, top: `${place.y}px`, width: `${place.width}px`,
        height: `${place.height}px`,
      });
      tile.addEventListener('click', () => this.choose(group.files, group.name));
      shown.push(tile);
    });
    this.box.replaceChildren(...shown);
  }
}

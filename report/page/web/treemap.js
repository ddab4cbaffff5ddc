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

const groupsMax = 30;
const largeShare = 1 / 12; // of the whole: a folder that has more is taken apart

// Files by folder. Begins with the one of all, and takes the largest apart into its folders, so
// that no folder that all files share hides what is in it. Names end with a slash.
export function folderGroups(files, valueOf) {
  const groupOf = (name, isLeaf, list) => ({
    name, isLeaf, files: list, value: list.reduce((sum, file) => sum + valueOf(file), 0),
  });
  const partsOf = (group) => {
    const parts = new Map();
    for (const file of group.files) {
      const slash = file.path.indexOf('/', group.name.length);
      const name = slash < 0 ? group.name : file.path.slice(0, slash + 1);
      const part = parts.get(name) ?? parts.set(name, []).get(name);
      part.push(file);
    }
    return [...parts].map(([name, list]) => groupOf(name, name === group.name, list));
  };
  let groups = [groupOf('', false, files)];
  const whole = groups[0].value;
  for (;;) {
    const inner = groups.filter((group) => !group.isLeaf);
    if (inner.length === 0 || groups.length >= groupsMax) return groups;
    const largest = inner.reduce((a, b) => (b.value > a.value ? b : a));
    if (largest.value <= whole * largeShare && largest.name !== '') return groups;
    groups = [...groups.filter((group) => group !== largest), ...partsOf(largest)];
  }
}

// What there is room for: "images/tiles" of "/usr/share/game/images/tiles/".
function shortName(name) {
  return name.split('/').filter((part) => part !== '').slice(-2).join('/') || '/';
}

export class Treemap {
  // `choose(files, name)` is called for a click on a group.
  constructor(data, choose) {
    this.data = data;
    this.choose = choose;
    this.box = byId('treemap');
    if (data.mounts.length === 0) byId('map-by').querySelector('[value=mount]').remove();
    for (const id of ['map-by', 'map-of']) byId(id).addEventListener('change', () => this.draw());
    new ResizeObserver(() => this.draw()).observe(this.box);
  }

  // With a name and a shorter one for the tile.
  groups(valueOf) {
    const by = byId('map-by').value;
    if (by === 'folder') {
      return folderGroups(this.data.files, valueOf).map((group) => {
        const name = group.name.length > 1 ? group.name.slice(0, -1) : '/';
        return { ...group, name, short: shortName(name) };
      });
    }
    const groups = new Map();
    for (const file of this.data.files) {
      const name = by === 'type'
        ? file.type || 'no extension'
        : this.data.mounts[file.mount]?.name ?? '';
      const group = groups.get(name) ?? { name, short: name, value: 0, files: [] };
      group.value += valueOf(file);
      group.files.push(file);
      groups.set(name, group);
    }
    return [...groups.values()];
  }

  draw() {
    const isTime = byId('map-of').value === 'time';
    const text = isTime ? timeText : bytesText;
    const sorted = this.groups((file) => (isTime ? file.total : file.bytes))
      .filter((each) => each.value > 0).sort((a, b) => b.value - a.value);
    const total = sorted.reduce((sum, each) => sum + each.value, 0);
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
      }, isWide ? group.short : '');
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

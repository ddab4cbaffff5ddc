// SPDX-License-Identifier: Zlib
// Tables that sort by a click on their heads, and the table of all files.
import { byId, element, nameElement } from './dom.js';
import { bytesText, countText, timeText } from './units.js';

// Cells may carry the number that their text stands for.
function keyOf(row, column) {
  const cell = row.cells[column];
  const number = cell.dataset.value;
  return number === undefined ? cell.textContent : Number(number);
}

function compare(a, b) {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return String(a).localeCompare(String(b), 'en', { numeric: true });
}

// Puts a button into each head; `sort(column, descending)` reorders the rows.
function makeHeads(table, sort) {
  [...table.tHead.rows[0].cells].forEach((head, column) => {
    const button = element('button', { type: 'button' }, ...head.childNodes);
    head.replaceChildren(button);
    button.addEventListener('click', () => {
      const isNumber = head.classList.contains('n');
      const was = head.getAttribute('aria-sort');
      const descending = was ? was === 'ascending' : isNumber;
      for (const each of table.tHead.rows[0].cells) each.removeAttribute('aria-sort');
      head.setAttribute('aria-sort', descending ? 'descending' : 'ascending');
      sort(column, descending);
    });
  });
}

export function makeSortable(table) {
  const body = table.tBodies[0];
  makeHeads(table, (column, descending) => {
    const rows = [...body.rows].map((row) => [keyOf(row, column), row]);
    rows.sort((a, b) => compare(a[0], b[0]) * (descending ? -1 : 1));
    body.append(...rows.map(([, row]) => row));
  });
}

const rowsAtOnce = 50;

export class FileTable {
  // `select(file)` is called with the number of the row's file.
  constructor(data, select) {
    this.data = data;
    this.select = select;
    this.shown = rowsAtOnce;
    this.rows = data.files;
    this.order = (a, b) => b.total - a.total;
    this.table = byId('files-table');
    const columns = [
      (file) => file.path, (file) => data.mounts[file.mount]?.name ?? '', (file) => file.bytes,
      (file) => file.total, (file) => file.device, (file) => file.stages[2],
      (file) => file.stages[3], (file) => file.stages[4], (file) => file.what,
    ];
    // Of a column that no file fills, neither head nor cells are shown.
    this.isEmpty = columns.map((key) => !data.files.some((file) => key(file)));
    this.hideEmpty(this.table.tHead.rows[0]);
    makeHeads(this.table, (column, descending) => {
      const key = columns[column];
      this.order = (a, b) => compare(key(a), key(b)) * (descending ? -1 : 1);
      this.shown = rowsAtOnce;
      this.update();
    });
    byId('files-more').addEventListener('click', () => {
      this.shown *= 4;
      this.update();
    });
    this.update();
  }

  hideEmpty(row) {
    [...row.cells].forEach((cell, column) => (cell.hidden = this.isEmpty[column]));
    return row;
  }

  // Shows only these files, or all.
  filter(files) {
    this.rows = files ?? this.data.files;
    this.shown = rowsAtOnce;
    this.update();
  }

  update() {
    const sorted = [...this.rows].sort((a, b) => this.order(a, b) || a.id - b.id);
    const shown = sorted.slice(0, this.shown);
    this.table.tBodies[0].replaceChildren(...shown.map((file) => this.row(file)));
    byId('files-count').textContent = this.rows.length === shown.length
      ? `${countText(shown.length)} files`
      : `${countText(shown.length)} of ${countText(this.rows.length)} files`;
    byId('files-more').hidden = this.rows.length <= shown.length;
  }

  row(file) {
    const number = (value, text) => element('td', { class: 'n' }, value > 0 ? text : '');
    const open = element('button', { type: 'button', class: 'link' }, nameElement(file.path));
    open.addEventListener('click', () => this.select(file.id));
    const state = file.state === 'ready' ? '' : ` (${file.state})`;
    return this.hideEmpty(element('tr', {},
      element('td', {}, open, state),
      element('td', {}, nameElement(this.data.mounts[file.mount]?.name ?? '')),
      number(file.bytes, bytesText(file.bytes)),
      number(file.total, timeText(file.total)),
      number(file.device, timeText(file.device)),
      number(file.stages[2], timeText(file.stages[2])),
      number(file.stages[3], timeText(file.stages[3])),
      number(file.stages[4], timeText(file.stages[4])),
      element('td', {}, file.what)));
  }
}

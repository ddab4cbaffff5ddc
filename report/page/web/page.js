// SPDX-License-Identifier: Zlib
// Makes the page move. Without JavaScript the page is the verdict, the tables and a picture.
import { readData } from './data.js';
import { byId, colour, element, nameElement, onColourChange } from './dom.js';
import { FileTable, makeSortable } from './tables.js';
import { Timeline } from './timeline.js';
import { Treemap } from './treemap.js';
import { lastElement, timeText } from './units.js';
import { WhatIf } from './whatif.js';

function start() {
  const data = readData(JSON.parse(byId('data').textContent));
  document.documentElement.classList.add('moves');
  const timeline = new Timeline(byId('timeline'), byId('tip'), data, (file) => showFile(file));
  const table = new FileTable(data, (file) => selectFile(file, true));

  function selectFile(file, scrolls) {
    timeline.select(file);
    showFile(file);
    if (file < 0) return;
    const { steps } = timeline;
    if (steps.length > 0) {
      timeline.show(steps[0].begin, Math.max(...steps.map((step) => step.end)));
    }
    if (scrolls) byId('timeline-title').scrollIntoView({ block: 'start' });
  }

  // The way of one file, and what lies between its steps.
  function showFile(number) {
    byId('wake').textContent = timeline.wakeText();
    const panel = byId('file');
    panel.hidden = number < 0;
    if (number < 0) return;
    const file = data.files[number];
    byId('file-name').replaceChildren(nameElement(file.path));
    const rows = [];
    let end = null;
    for (const step of timeline.steps) {
      if (end !== null && step.begin - end > 5) rows.push(wayRow(step.begin - end, 'waits', ''));
      const thread = step.lane >= 0 ? timeline.lanes[step.lane].name : '';
      rows.push(wayRow(step.end - step.begin, step.name, thread, step.begin));
      end = Math.max(end ?? 0, step.end);
    }
    byId('file-way').replaceChildren(...rows);
  }

  function wayRow(duration, name, thread, begin) {
    return element('tr', begin === undefined ? { class: 'between' } : {},
      element('td', { class: 'n' }, begin === undefined ? '' : timeText(begin)),
      element('td', { class: 'n' }, timeText(duration)),
      element('td', {}, name), element('td', {}, thread));
  }

  function search(text) {
    const wanted = text.trim().toLowerCase();
    const found = wanted
      ? data.files.filter((file) => file.path.toLowerCase().includes(wanted))
      : null;
    showOnly(found);
  }
  function showOnly(files) {
    timeline.find(files && new Set(files.map((file) => file.id)));
    table.filter(files);
  }

  byId('search').addEventListener('input', (event) => search(event.target.value));
  byId('zoom-in').addEventListener('click', () => timeline.zoom(1 / 1.6));
  byId('zoom-out').addEventListener('click', () => timeline.zoom(1.6));
  byId('zoom-all').addEventListener('click', () => timeline.reset());
  byId('path').addEventListener('change', (event) => {
    timeline.showPath = event.target.checked;
    timeline.draw();
  });
  byId('file-close').addEventListener('click', () => selectFile(-1, false));
  for (const each of document.querySelectorAll('table.sorts')) makeSortable(each);
  for (const link of document.querySelectorAll('[data-find]')) {
    link.addEventListener('click', (event) => {
      event.preventDefault();
      byId('search').value = link.dataset.find;
      search(link.dataset.find);
      byId('timeline-title').scrollIntoView({ block: 'start' });
    });
  }
  if (data.files.length > 0) {
    byId('what-if').hidden = data.threads === 0;
    if (data.threads > 0) new WhatIf(data);
    new Treemap(data, (files, name) => {
      byId('search').value = '';
      showOnly(files);
      byId('files-title').textContent = `Files: ${lastElement(name) || name}`;
      byId('files-title').scrollIntoView({ block: 'start' });
    });
  } else {
    byId('what-if').hidden = true;
    byId('map-section').hidden = true;
    byId('files-section').hidden = true;
    byId('search').hidden = true;
    document.querySelector('label[for=search]').hidden = true;
  }
  onColourChange(() => timeline.draw());
  addEventListener('beforeprint', () => timeline.draw());
  // For tests, and for those who look closer.
  window.overture = { data, timeline, table };
  document.documentElement.dataset.ready = colour('ink');
}

start();

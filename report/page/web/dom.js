// SPDX-License-Identifier: Zlib
// Elements. Text from the data is only ever set as text, never as HTML.

export const byId = (id) => document.getElementById(id);

// element('td', { class: 'n' }, 'text', child...)
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) made.setAttribute(name, '');
    else if (value !== false && value != null) made.setAttribute(name, value);
  }
  made.append(...children);
  return made;
}

// A name that may have any characters.
export function nameElement(text) {
  return element('bdi', { dir: 'ltr' }, text);
}

const colours = new Map();
export function colour(name) {
  if (!colours.has(name)) {
    const style = getComputedStyle(document.documentElement);
    colours.set(name, style.getPropertyValue(`--${name}`).trim());
  }
  return colours.get(name);
}

// Calls `changed` when the reader switches between light and dark.
export function onColourChange(changed) {
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
    colours.clear();
    changed();
  });
}

// A body: laid out, as it came, as an image or in hexadecimal, with a search and a button that copies it.
import { make, copyButton, setText } from './dom.js';
import { bytes, isImage, number } from './format.js';
import { bytesOf, hexLines } from './hex.js';
import { layOut, read } from './json.js';

const mostLines = 2000, groupSize = 100;

export function bodyView(body, type, name) {
  const box = make('div', { class: 'body' });
  if (!body) return make('p', { class: 'soft' }, 'No body was kept.');
  if (body.length === 0) return make('p', { class: 'soft' }, 'The body is empty.');
  const json = body.text == null ? null : read(body.text);
  const modes = [];
  if (json) modes.push(['laid', 'Laid out', () => tree(json.tree)]);
  if (body.base64 && body.isWhole && isImage(type)) modes.push(['image', 'Image', () => image(body, type, name)]);
  if (body.text != null) modes.push(['raw', 'Raw', () => make('pre', { tabindex: 0, 'aria-label': name + ', raw' }, body.text)]);
  modes.push(['hex', 'Hex', () => hex(body)]);
  const bar = make('div', { class: 'bar' }), content = make('div', { class: 'content' });
  const picks = new Map();
  const show = mode => {
    for (const [other, button] of picks) button.setAttribute('aria-pressed', other === mode[0]);
    content.replaceChildren(mode[2]());
    find.run();
  };
  const group = make('span', { class: 'group', role: 'group', 'aria-label': 'View of the ' + name });
  for (const mode of modes) {
    const button = make('button', { class: 'small', 'aria-pressed': false, onclick: () => show(mode) }, mode[1]);
    picks.set(mode[0], button);
    group.append(button);
  }
  const find = search(content, name, () => {
    // A closed part of the tree could hide what is searched.
    if (picks.get('laid')?.getAttribute('aria-pressed') === 'true') {
      content.querySelectorAll('details').forEach(part => { part.open = true; part.dispatchEvent(new Event('toggle')); });
    }
  }, body.text);
  bar.append(group, find.field, find.count,
    copyButton(() => body.text ?? hexLines(bytesOf(body.base64)).join('\n'), 'the ' + name),
    json ? copyButton(() => layOut(json.tree), 'the laid-out ' + name, 'Copy laid out') : '');
  const facts = [type, bytes(body.length), body.isWhole ? '' : 'only the beginning is kept',
    json && !json.isWhole ? 'JSON that is cut' : ''].filter(Boolean).join(', ');
  box.append(bar, make('p', { class: 'soft facts' }, facts), content);
  show(modes[0]);
  return box;
}

const image = (body, type, name) => make('figure', {},
  make('img', { src: 'data:' + type.split(';')[0].trim() + ';base64,' + body.base64, alt: 'The ' + name + ' as an image',
    onload: event => setText(event.target.nextSibling, event.target.naturalWidth + ' × ' + event.target.naturalHeight + ' pixels') }),
  make('figcaption', { class: 'soft' }));

function hex(body) {
  const data = body.base64 ? bytesOf(body.base64) : new TextEncoder().encode(body.text);
  const box = make('div'), text = make('pre', { tabindex: 0, class: 'hex', 'aria-label': 'Bytes' });
  let shown = 0;
  const more = make('button', { class: 'small', onclick: () => add() });
  const add = () => {
    text.append(hexLines(data, shown, mostLines * 16).join('\n') + '\n');
    shown = Math.min(data.length, shown + mostLines * 16);
    more.hidden = shown >= data.length;
    setText(more, 'Show more of ' + number(data.length) + ' bytes');
  };
  box.append(text, more);
  add();
  return box;
}

// A tree whose parts are made when they are opened.
function tree(root) {
  const box = make('div', { class: 'json', tabindex: 0, role: 'group', 'aria-label': 'JSON, laid out' });
  let lines = 0;
  box.append(part(root, null, true, ''));
  return box;

  function label(name) { return name == null ? '' : make('span', {}, make('b', {}, name), ': '); }

  function part(node, name, isOpen, comma) {
    lines += 1;
    if (!node.entries) return make('div', { class: 'line' }, label(name), make('span', { class: 'v-' + node.kind }, node.text), comma);
    const [start, end] = node.kind === 'object' ? '{}' : '[]';
    if (!node.entries.length) return make('div', { class: 'line' }, label(name), start + end + comma);
    const holder = make('details'), inner = make('div', { class: 'inner' });
    const count = node.kind === 'object' ? 'names' : 'values';
    holder.append(make('summary', {}, label(name), start, make('span', { class: 'hint' }, ' ' + node.entries.length + ' ' + count + ' ' + end + comma)),
      inner, make('div', { class: 'line end' }, end + comma));
    let isMade = false;
    const fill = () => {
      if (isMade || !holder.open) return;
      isMade = true;
      inner.append(...entries(node, 0, node.entries.length));
    };
    holder.addEventListener('toggle', fill);
    if (isOpen && lines < 400) { holder.open = true; fill(); }
    return holder;
  }

  function entries(node, first, end) {
    if (end - first > groupSize * 2) {
      const groups = [], size = end - first > groupSize * groupSize ? groupSize * groupSize : groupSize;
      for (let from = first; from < end; from += size) {
        const to = Math.min(end, from + size), inner = make('div', { class: 'inner' });
        const holder = make('details', { class: 'range' }, make('summary', {}, make('span', { class: 'hint' }, from + ' to ' + (to - 1))), inner);
        let isMade = false;
        const fill = () => {
          if (isMade || !holder.open) return;
          isMade = true;
          inner.append(...entries(node, from, to));
        };
        holder.addEventListener('toggle', fill);
        if (from === first) { holder.open = true; fill(); }
        groups.push(holder);
      }
      return groups;
    }
    return node.entries.slice(first, end).map((entry, index) =>
      part(entry.value, entry.name, true, first + index + 1 < node.entries.length ? ',' : ''));
  }
}

// Marks what is found, with the browser's highlights, so that the text itself does not change.
const mostFound = 10_000;
export function search(content, name, open = () => {}, raw = null) {
  const field = make('input', { type: 'search', class: 'find', placeholder: 'Search', 'aria-label': 'Search in the ' + name,
    autocomplete: 'off' });
  const count = make('output', { class: 'soft' });
  let found = [], at = -1, opened = false, rest = '';
  const run = () => {
    const text = field.value;
    [found, at] = [[], -1];
    CSS.highlights?.delete('found');
    CSS.highlights?.delete('current');
    if (!text) { setText(count, ''); opened = false; return; }
    if (!opened) { open(); opened = true; }
    // The letters of both cases may have other lengths, so the text itself is searched.
    const pattern = new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), 'giu');
    const walker = document.createTreeWalker(content, NodeFilter.SHOW_TEXT);
    while (walker.nextNode() && found.length < mostFound) {
      // The page's own words are not part of the body.
      if (walker.currentNode.parentElement.closest('.hint, button')) continue;
      for (const match of walker.currentNode.data.matchAll(pattern)) {
        if (found.length === mostFound) break;
        const range = new Range();
        range.setStart(walker.currentNode, match.index);
        range.setEnd(walker.currentNode, match.index + match[0].length);
        found.push(range);
      }
    }
    // Parts of a long tree are not in the page before they are opened.
    const all = raw?.match(pattern)?.length ?? 0;
    rest = all > found.length ? ', ' + number(all) + ' in Raw' : '';
    if (found.length) CSS.highlights?.set('found', new Highlight(...found));
    move(1);
  };
  const move = by => {
    if (!found.length) { setText(count, (rest ? 'none here' : 'not found') + rest); return; }
    at = (at + by + found.length) % found.length;
    CSS.highlights?.set('current', new Highlight(found[at]));
    setText(count, number(at + 1) + ' of ' + number(found.length) + (found.length === mostFound ? '+' : '') + rest);
    found[at].startContainer.parentElement.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  };
  field.addEventListener('input', run);
  field.addEventListener('keydown', event => {
    if (event.key === 'Enter') { event.preventDefault(); move(event.shiftKey ? -1 : 1); }
    if (event.key === 'Escape' && field.value) { event.stopPropagation(); field.value = ''; run(); }
  });
  return { field, count, run };
}

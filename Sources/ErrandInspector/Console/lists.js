// The views of scopes, slots, origins and the response cache.
import { $, make } from './dom.js';
import { fetchJSON } from './connection.js';
import { bytes, counted, dateTime, duration, number } from './format.js';
import { calls, present } from './model.js';

const took = call => (call.end ?? present()) - call.began;
const stateOf = call => call.end != null ? call.state : call.state === 'waiting' ? 'waiting' : 'running';

function fill(table, head, rows, empty) {
  // What the reader selects or uses is not replaced.
  const selection = getSelection();
  if ((!selection.isCollapsed && selection.containsNode(table, true)) || table.contains(document.activeElement)) return;
  const shown = JSON.stringify(rows);
  if (table.shown === shown) return;
  table.shown = shown;
  table.replaceChildren(make('thead', {}, make('tr', {}, ...head.map(text => make('th', { scope: 'col' }, text)))),
    make('tbody', {}, ...(rows.length ? rows : [[empty]]).map(row => make('tr', {}, ...row.map((cell, index) => {
      const value = Array.isArray(cell) ? cell : [cell, typeof cell === 'number' ? 'number' : ''];
      const text = typeof value[0] === 'number' ? number(value[0]) : value[0];
      return index ? make('td', { class: value[1] }, text) : make('th', rows.length ? { scope: 'row' } : { class: 'soft', colspan: head.length }, text);
    })))));
}

function group(key) {
  const groups = new Map();
  for (const call of calls.values()) {
    const name = key(call);
    if (name == null) continue;
    const group = groups.get(name) ?? { running: 0, waiting: 0, finished: 0, failed: 0, cancelled: 0, time: 0, last: [] };
    group[stateOf(call)] += 1;
    if (call.end != null && (call.state === 'finished' || call.state === 'failed')) {
      group.time += took(call);
      group.last.push(call);
    }
    groups.set(name, group);
  }
  return [...groups].sort(([a], [b]) => a < b ? -1 : 1);
}

export function drawOrigins(held) {
  fill($('origin-table'), ['Origin', 'Health', 'Waiting', 'Running', 'Finished', 'Failed', 'Cancelled', 'Mean time', 'Last failure'],
    group(call => call.origin).map(([name, group]) => {
      const last = group.last.slice(-10), failed = last.filter(call => call.state === 'failed');
      const hold = (held ?? []).find(hold => hold.origin === name);
      const health = hold ? ['✕ held: ' + hold.reason, 'failed']
        : failed.length ? ['! ' + failed.length + ' of the last ' + last.length + ' failed', 'failed'] : ['✓ good', 'finished'];
      return [name, health, group.waiting, group.running, group.finished, group.failed, group.cancelled,
        [duration(group.time / Math.max(1, group.finished + group.failed)), 'number'],
        group.last.findLast(call => call.state === 'failed')?.outcome ?? ''];
    }), 'No calls yet.');
}

// Nested scopes, each with the calls that belong to it directly.
export function drawScopes() {
  const selection = getSelection();
  if (!selection.isCollapsed && selection.containsNode($('scope-tree'), true)) return;
  const root = { inner: new Map(), calls: [] };
  for (const call of calls.values()) {
    let node = root;
    for (const name of call.scopes ?? ['(no scope)']) {
      if (!node.inner.has(name)) node.inner.set(name, { inner: new Map(), calls: [] });
      node = node.inner.get(name);
    }
    node.calls.push(call);
  }
  const list = node => [...node.inner].sort(([a], [b]) => a < b ? -1 : 1).map(([name, inner]) => {
    const count = state => inner.calls.filter(call => stateOf(call) === state).length;
    const states = ['waiting', 'running', 'finished', 'failed', 'cancelled'].filter(count).map(state => count(state) + ' ' + state).join(', ');
    return make('li', {}, make('b', {}, name), states ? ': ' + states : '', inner.inner.size ? make('ul', {}, ...list(inner)) : '');
  });
  const items = list(root);
  $('scope-tree').replaceChildren(...(items.length ? items : [make('li', { class: 'soft' }, 'No calls yet.')]));
}

const priorities = ['userInitiated', 'default', 'utility', 'background'];

export function drawSlots(slots) {
  fill($('slot-table'), ['In flight', ...priorities.map(name => 'Waiting, ' + name)],
    slots ? [[slots.running + (slots.total ? ' of ' + slots.total : ''), ...priorities.map(name => slots.waiting[name] ?? 0)]] : [],
    'This inspector shows no client.');
  const rank = call => priorities.indexOf(call.priority);
  fill($('waiting-table'), ['Priority', 'Call', 'Request', 'Waiting time'],
    [...calls.values()].filter(call => call.end == null && call.waitsFor === 'a slot')
      .sort((a, b) => rank(a) - rank(b) || a.id - b.id).slice(0, 500).map(call =>
        [call.priority, '#' + call.id, call.method + ' ' + call.url, [duration(took(call)), 'number']]), 'No call waits for a slot.');
}

export async function drawCache() {
  const rows = await fetchJSON('cache') ?? [];
  fill($('cache-table'), ['Cached response', 'Status', 'Since', 'Size'], rows.map(row =>
    [row.url, [String(row.status), 'number'], dateTime(row.since), [bytes(row.size), 'number']]), 'The cache is empty.');
  $('cache-count').textContent = counted(rows.length, 'cached response');
  fill($('decision-table'), ['Call', 'Request', 'Decision'],
    [...calls.values()].filter(call => call.cache).slice(-500).reverse().map(call =>
      ['#' + call.id, call.method + ' ' + call.url, call.cache]), 'No call has asked the cache.');
}

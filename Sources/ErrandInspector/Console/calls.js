// The view of the calls: the list, its filter, its order and its time axis.
import { $, make, setText } from './dom.js';
import { bytes, counted, duration, hostOf, nameOf, number, shortType } from './format.js';
import { cacheWord, faults, matches, parse } from './filter.js';
import { sorted } from './order.js';
import { RowList } from './rows.js';
import { act } from './connection.js';
import { calls, outcomeOf, present, sawTime } from './model.js';
import { axisOf, paint, steps, ticks } from './waterfall.js';
import { closeDetails, showDetails, updateDetails } from './details.js';

let terms = [], sortColumn = 'start', isDescending = true, isPaused = false, list = null;
let axis = { from: 0, to: 1, tick: 1 };

// What a reader who sees no colours reads first: a sign and the status.
function statusText(call) {
  if (call.end == null) return call.state === 'waiting' ? '… waits' : '… runs';
  if (call.state === 'failed') return '✕ ' + (call.status ?? 'failed');
  if (call.state === 'cancelled') return '⊘ cancelled';
  return (call.status >= 400 ? '! ' : '') + (call.status ?? 'done');
}

const statusClass = call => call.end == null ? 'running' : call.state === 'finished' && call.status >= 400 ? 'warned' : call.state;

function text(cell, value, title) {
  setText(cell, value);
  const hint = title ?? '';
  if (cell.title !== hint) cell.title = hint;
}

const columns = [
  { name: 'status', label: 'Status', sorts: true, paint(cell, call) {
    text(cell, statusText(call), outcomeOf(call));
    const name = 'cell c-status ' + statusClass(call);
    if (cell.className !== name) cell.className = name;
  } },
  { name: 'method', label: 'Method', sorts: true, paint: (cell, call) => text(cell, call.method) },
  { name: 'name', label: 'Name', sorts: true, paint: (cell, call) => text(cell, nameOf(call.url), call.url) },
  { name: 'host', label: 'Host', sorts: true, paint: (cell, call) => text(cell, hostOf(call.url), call.origin) },
  { name: 'type', label: 'Type', sorts: true, paint: (cell, call) => text(cell, shortType(call.type), call.type) },
  { name: 'size', label: 'Size', sorts: true, paint: (cell, call) => text(cell, call.end == null ? '' : bytes(call.bytes)) },
  { name: 'time', label: 'Time', sorts: true, paint: (cell, call) => text(cell, duration((call.end ?? present()) - call.began)) },
  { name: 'cache', label: 'Cache', sorts: true, paint: (cell, call) => text(cell, cacheWord(call), call.cache) },
  { name: 'attempts', label: 'Attempts', sorts: true, paint: (cell, call) => text(cell, call.attempts > 1 ? '↻ ' + call.attempts : call.attempts || '') },
  { name: 'start', label: 'Timeline', sorts: true, head(cell) {
    cell.append(make('button', { class: 'sort', onclick: () => sortBy('start') }, 'Timeline'),
      make('div', { class: 'ticks', 'aria-hidden': true }));
  }, paint(cell, call) {
    cell.setAttribute('role', 'gridcell');
    let bar = cell.firstChild;
    if (!bar) cell.append(bar = make('div', { class: 'bars', role: 'img' }));
    paint(bar, call, axis, present());
  } },
];

const values = {
  status: call => call.status ?? (call.end == null ? null : 0), method: call => call.method, name: call => nameOf(call.url), host: call => hostOf(call.url),
  type: call => shortType(call.type) || null, size: call => call.bytes, time: call => (call.end ?? present()) - call.began,
  cache: call => cacheWord(call) || null, attempts: call => call.attempts, start: call => call.id,
};

function sortBy(name) {
  const startsDescending = ['start', 'size', 'time', 'attempts', 'status'].includes(name);
  if (sortColumn === name) isDescending = !isDescending;
  else [sortColumn, isDescending] = [name, startsDescending];
  list.showSort(sortColumn, isDescending);
  arrange(true);
}

function showAxis(visible) {
  const all = $('axis').value === 'all';
  axis = axisOf(all ? shownCalls() : visible, present());
  const box = list.columnHeads.get('start').lastChild, wanted = ticks(axis, box.clientWidth);
  while (box.children.length > wanted.length) box.lastChild.remove();
  while (box.children.length < wanted.length) box.append(make('span'));
  wanted.forEach((tick, index) => {
    box.children[index].style.left = (tick.place * 100).toFixed(3) + '%';
    setText(box.children[index], tick.text);
  });
  list.scroller.style.setProperty('--tick', (axis.tick / (axis.to - axis.from) * 100).toFixed(3) + '%');
}

const shownCalls = () => list.keys.map(key => list.item(key)).filter(Boolean);

// Calls have numbers from 1. The program keeps only the last ones.
function callCount() {
  const first = calls.keys().next().value;
  return (first > 1 ? 'the last ' : '') + counted(calls.size, 'call');
}

// Puts the calls in order. `moves` is true when the reader asked for it.
export function arrange(moves = false) {
  const now = present();
  let all = [...calls.values()];
  if (terms.length) all = all.filter(call => matches(terms, call, now));
  if (sortColumn === 'start') { if (isDescending) all.reverse(); } else all = sorted(all, isDescending, values[sortColumn]);
  list.update(all, { moves });
  const unknown = faults(terms);
  setText($('count'), unknown.length ? 'not understood: ' + unknown.join(' ') : terms.length ? number(all.length) + ' of ' + callCount() : callCount());
}

let pending = false, last = 0;
export function callsChanged() {
  if (pending || isPaused) return;
  pending = true;
  // The filter and the order of many calls are not computed for each frame.
  const wait = Math.max(0, last + (calls.size > 3000 ? 300 : 100) - performance.now());
  setTimeout(() => {
    pending = false;
    last = performance.now();
    if (!$('calls').hidden) arrange();
  }, wait);
}

export function takeCalls(rows) {
  for (const call of rows) {
    calls.set(call.id, call);
    sawTime(call.end ?? call.began);
  }
  const chosen = list?.chosen;
  if (chosen != null && rows.some(call => call.id === chosen)) updateDetails(calls.get(chosen));
  callsChanged();
}

export function removeCalls(ids) {
  for (const id of ids) calls.delete(id);
  callsChanged();
}

export function replaceCalls(rows) {
  calls.clear();
  takeCalls(rows);
}

// The times of running calls advance without an event.
export function tickCalls() {
  if (isPaused || $('calls').hidden || !list?.visible?.some(call => call.end == null)) return;
  list.draw();
}

export function chooseCall(call) {
  if (!call) {
    list.mark(null);
    closeDetails();
    callsChanged();
    return;
  }
  list.mark(call.id);
  showDetails(call, () => chooseCall(null));
}

function pause(value) {
  isPaused = value;
  $('pause').setAttribute('aria-pressed', value);
  setText($('pause'), value ? 'Resume display' : 'Pause display');
  if (!value) callsChanged();
}

export function callsKey(event) {
  const by = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1, PageDown: 15, PageUp: -15 }[event.key];
  // The arrow keys scroll what has the focus in the details.
  if (by && !event.target.closest('.details')) {
    event.preventDefault();
    const next = list.step(by);
    if (next) chooseCall(next);
  } else if (event.key === '/') { event.preventDefault(); $('filter').focus(); }
  else if (event.key === 'p') pause(!isPaused);
  else if (event.key === 'n' && !list.more.hidden) list.more.click();
  else if (event.key === 'Enter' && event.target === list.scroller) $('call-details').querySelector('[role=tab][aria-selected=true]')?.focus();
  else if (event.key === 'Escape') { chooseCall(null); list.scroller.focus(); }
}

// What of the view is kept in the URL.
export const callsPlace = () => ({ filter: $('filter').value });
export function restoreCalls({ filter = '' }) {
  $('filter').value = filter;
  terms = parse(filter);
}

export function setUpCalls(onmove) {
  list = new RowList($('call-list'), { columns, key: call => call.id, more: $('calls-more'), choose: chooseCall, sort: sortBy,
    beforePaint: showAxis, onrelease: () => arrange(),
    rowClass: call => calls.has(call.id) ? '' : 'gone',
    emptyText: () => calls.size ? 'No call matches the filter.' : 'No calls yet. The calls of the client appear here as they begin.' });
  list.showSort(sortColumn, isDescending);
  list.update([]);
  const filter = $('filter');
  filter.addEventListener('input', () => { terms = parse(filter.value); list.scroller.scrollTop = 0; arrange(true); onmove(); });
  $('filters').addEventListener('submit', event => event.preventDefault());
  $('axis').addEventListener('change', () => list.draw());
  $('pause').addEventListener('click', () => pause(!isPaused));
  $('clear').addEventListener('click', async () => {
    chooseCall(null);
    if (await act({ name: 'clear' }, 'Cleared the calls that have ended.')) setTimeout(() => arrange(true), 300);
  });
  for (const [name, label, title] of steps) {
    $('legend').append(make('span', { title }, make('i', { class: 'step ' + name, 'aria-hidden': true }), label));
  }
}

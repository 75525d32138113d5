// The view of an outbox: its health, its requests by state, and what an operator may do with them.
import { $, ask, copyButton, hasSelection, make, makeTabs, say, setText } from './dom.js';
import { act, fetchJSON } from './connection.js';
import { bodyView } from './body.js';
import { bytes, counted, dateTime, duration, hostOf, number } from './format.js';
import { contentType, facts, fields } from './details.js';
import { RowList } from './rows.js';

const states = [['dead-letter', 'Dead letters'], ['stored', 'Waiting'], ['attempting', 'Attempting'], ['delivered', 'Delivered'],
  ['expired', 'Expired'], ['dropped', 'Dropped']];
const canRetry = new Set(['dead-letter', 'stored', 'expired']);
const pageSize = 100;

let outbox = null, state = 'dead-letter', list = null, stateTabs = null;
let rows = [], cursors = [0], next = null, chosen = null, detailTab = 'overview', detailTabs = null, detail = null;
let isReading = false, wantsReading = false, isOver = false;
const picked = new Map();

const filters = () => ({ lane: $('outbox-lane').value, origin: $('outbox-origin').value.trim(), text: $('outbox-text').value.trim() });
const isFiltered = () => Object.values(filters()).some(Boolean);

function query(more = {}) {
  const parameters = new URLSearchParams({ state });
  for (const [name, value] of Object.entries({ ...filters(), ...more })) if (value !== '' && value != null) parameters.set(name, value);
  return parameters.toString();
}

function text(cell, value, title) {
  setText(cell, value);
  const hint = title ?? '';
  if (cell.title !== hint) cell.title = hint;
}

const signs = { 'dead-letter': '✕ dead letter', stored: '○ waiting', attempting: '↻ attempting', delivered: '✓ delivered',
  expired: '⌛ expired', dropped: '⊘ dropped' };

const columns = [
  { name: 'pick', label: '', head: cell => cell.append(make('input', { type: 'checkbox', id: 'pick-all', 'aria-label': 'Select the page',
    onchange: event => pickAll(event.target.checked) })), paint(cell, row) {
    let box = cell.firstChild;
    if (!box) cell.append(box = make('input', { type: 'checkbox', onchange: event => pick(event.target.closest('.row').item, event.target.checked) }));
    const label = 'Select ' + row.method + ' ' + row.url;
    if (box.getAttribute('aria-label') !== label) box.setAttribute('aria-label', label);
    if (box.checked !== picked.has(row.id)) box.checked = picked.has(row.id);
  } },
  { name: 'state', label: 'State', paint(cell, row) {
    text(cell, signs[row.state] ?? row.state);
    const name = 'cell c-state ' + row.state;
    if (cell.className !== name) cell.className = name;
  } },
  { name: 'method', label: 'Method', paint: (cell, row) => text(cell, row.method) },
  { name: 'url', label: 'Request', paint: (cell, row) => text(cell, row.url.replace(/^https?:\/\//, ''), row.url) },
  { name: 'lane', label: 'Lane', paint: (cell, row) => text(cell, row.lane ?? '', row.lane) },
  { name: 'tries', label: 'Attempts', paint: (cell, row) => text(cell, row.attempts) },
  { name: 'age', label: 'Age', paint: (cell, row) => text(cell, duration(now() - row.created), 'stored ' + dateTime(row.created)) },
  { name: 'next', label: 'Next', paint: (cell, row) => text(cell, nextText(row)) },
  { name: 'reason', label: 'Reason', paint: (cell, row) => text(cell, row.reason ?? '', row.reason) },
];

const now = () => outbox?.now ?? Date.now();

function nextText(row) {
  if (row.state !== 'stored') return '';
  if (outbox?.isPaused || (row.lane != null && outbox?.pausedLanes.includes(row.lane))) return 'paused';
  const origin = hostOf(row.url), hold = outbox?.held.find(hold => hostOf(hold.origin) === origin && hold.key == null && hold.until > now());
  const due = Math.max(row.next ?? 0, hold?.until ?? 0);
  return due > now() ? 'in ' + duration(due - now()) : row.lane != null ? 'in its turn' : 'now';
}

// MARK: the page of rows

// A search of many requests is answered in parts. It is not repeated at once when something has changed.
let restsUntil = 0, keepPlace = () => {};
async function read() {
  if (isReading) { wantsReading = true; return; }
  if (!moves && performance.now() < restsUntil) { list.draw(); return; }
  [isReading, wantsReading] = [true, false];
  const asked = query({ after: cursors.at(-1) }), began = performance.now();
  const isOutdated = () => asked !== query({ after: cursors.at(-1) });
  const found = [];
  let page = null, searched = 0;
  do {
    page = await fetchJSON('outbox/requests?' + query({ after: page?.next ?? cursors.at(-1), limit: pageSize - found.length }));
    if (!page || isOutdated()) break;
    found.push(...page.rows);
    searched += page.searched;
    if (!page.isCut || found.length === pageSize) break;
    if (!moves) continue;
    [rows, next] = [[...found], null];
    show('Searching: ' + counted(searched, 'request') + '…');
  } while (!$('outbox').hidden);
  isReading = false;
  const took = performance.now() - began;
  if (isOutdated() || (wantsReading && took < 500)) return read();
  if (!page) return;
  restsUntil = performance.now() + 10 * took;
  [rows, next] = [found, page.next];
  show();
  moves = false;
}

let moves = true;
function show(progress = '') {
  known = new Set(rows.map(row => row.id));
  list.update(rows, { moves });
  list.draw();
  setText($('outbox-page'), rows.length ? 'Page ' + cursors.length : '');
  $('outbox-back').disabled = cursors.length < 2;
  $('outbox-next').disabled = next == null;
  setText($('outbox-searched'), progress);
  showPicked();
}
// The requests that were on the page when it was last read.
let known = new Set();

// Begins again at the first page.
function restart() {
  [cursors, moves] = [[0], true];
  picked.clear();
  list.scroller.scrollTop = 0;
  keepPlace();
  read();
}

function pick(row, isPicked) {
  if (isPicked) picked.set(row.id, row); else picked.delete(row.id);
  showPicked();
}

// The rows on the screen that are still in this state. Others may wait for the reader to let the list go.
const shownRows = () => list.keys.map(key => list.item(key)).filter(row => row && known.has(row.id));

function pickAll(isPicked) {
  for (const row of shownRows()) if (isPicked) picked.set(row.id, row); else picked.delete(row.id);
  list.draw();
  showPicked();
}

function showPicked() {
  const all = $('pick-all');
  if (all) {
    const candidates = shownRows();
    all.checked = candidates.length > 0 && candidates.every(row => picked.has(row.id));
    all.indeterminate = !all.checked && candidates.some(row => picked.has(row.id));
  }
  const count = picked.size, may = canRetry.has(state);
  setText($('picked-count'), count ? counted(count, 'request') + ' selected' : may && rows.length ? 'Select requests, or act on all of them' : '');
  for (const id of ['picked-retry', 'picked-drop']) $(id).hidden = !count || !may;
  $('picked-none').hidden = !count;
  for (const id of ['all-retry', 'all-drop']) $(id).hidden = Boolean(count) || !may || !rows.length;
  setText($('all-retry'), (state === 'dead-letter' ? 'Redrive' : 'Retry') + (isFiltered() ? ' all that match…' : ' all…'));
  setText($('all-drop'), 'Drop' + (isFiltered() ? ' all that match…' : ' all…'));
}

const verbs = {
  retry: ['Retry', 'It is sent again at once, with all of its attempts.', 'They are sent again at once, with all of their attempts.'],
  drop: ['Drop', 'It will not be delivered, and its content is deleted.', 'They will not be delivered, and their contents are deleted.'],
};

// Asks, and requests the change of some requests by their ids, or of all that a filter selects.
async function change(name, count, { ids, filter, named = '' }) {
  const [verb, one, many] = verbs[name], effect = count === 1 ? one : many, what = counted(count, 'request');
  const scope = !ids && Object.keys(filter).length > 2 ? ' that match the filter' : '';
  const word = name === 'retry' && !ids && filter.state === 'dead-letter' ? 'Redrive' : verb;
  if (!count) return;
  if (!await ask(word + ' ' + (named || what) + scope + '?', effect + ' You have ten seconds to undo it. The outbox is that of ' + $('program').textContent + '.', word + ' ' + what)) return;
  if (await act({ name, count, ids, filter }, word + ' ' + what + ' in ten seconds. The key u undoes it.')) {
    list.scroller.focus();
    picked.clear();
    list.draw();
    showPicked();
  }
}

// Requests that have left the state that the page shows are not meant.
const changePicked = name => change(name, picked.size, { ids: [...picked.keys()], filter: { state } });
let isCounting = false;
async function changeAll(name) {
  if (isCounting) return;
  isCounting = true;
  try {
    await countAndChange(name);
  } finally { isCounting = false; }
}

async function countAndChange(name) {
  const asked = query(), filter = { state, ...Object.fromEntries(Object.entries(filters()).filter(([, value]) => value)) };
  let part = null, count = 0;
  do {
    part = await fetchJSON('outbox/count?' + query(part ? { after: part.next } : {}));
    if (!part) say('The outbox cannot be read, so nothing was changed.');
    if (!part || asked !== query()) { showPicked(); return; }
    filter.asked ??= part.at;
    count += part.count;
    setText($('picked-count'), 'Counting: ' + counted(count, 'request') + '…');
  } while (part.next != null);
  showPicked();
  await change(name, count, { filter });
}

// MARK: what waits to be carried out

const pendingNodes = new Map();
// The requests that are about to be changed.
let leaving = new Set();
function showPending(pending) {
  leaving = new Set(pending.flatMap(item => item.ids));
  const known = new Set(pending.map(item => item.id));
  for (const [id, node] of pendingNodes) {
    if (known.has(id)) continue;
    if (node.contains(document.activeElement)) list.scroller.focus();
    node.remove();
    pendingNodes.delete(id);
    restsUntil = 0;
  }
  for (const item of pending) {
    let node = pendingNodes.get(item.id);
    if (!node) {
      const verb = item.name === 'drop' ? 'Drop' : 'Retry';
      node = make('div', { class: 'pending', role: 'group', 'aria-label': 'A change that can be undone' }, make('span'),
        make('button', { class: 'primary', onclick: event => press(event.target, { name: 'undo', pending: item.id },
          event.target.textContent === 'Undo' ? 'Undone: nothing was changed.' : '') }, 'Undo'),
        make('button', { onclick: event => press(event.target, { name: 'now', pending: item.id }) }, verb + ' now'));
      pendingNodes.set(item.id, node);
      $('pending').append(node);
    }
    const left = Math.ceil(item.left / 1000), [undo, begin] = node.querySelectorAll('button');
    const done = item.done == null ? ' in ' + left + ' s' : ', ' + number(item.done) + ' done';
    setText(node.firstChild, (item.name === 'drop' ? 'Drops ' : 'Retries ') + counted(item.count, 'request') + done
      + (item.failure ? '. ' + item.failure : ''));
    begin.hidden = item.done != null;
    undo.hidden = item.done != null && !item.failure;
    setText(undo, item.failure ? 'Close' : 'Undo');
  }
}

// A second press of a button is not a second action.
async function press(button, action, done) {
  button.disabled = true;
  await act(action, done);
  button.disabled = false;
}

// MARK: health

// Says that what is shown may be old.
export function loseOutbox(text) {
  if (!outbox) return;
  const box = $('outbox-health');
  box.dataset.state = 'nobody';
  setText(box, '✕ ' + text[0].toUpperCase() + text.slice(1) + '. What is shown is from ' + dateTime(outbox.now) + '.');
  for (const node of pendingNodes.values()) {
    setText(node.firstChild, 'A change waits for the program. If the program has ended before it began, nothing is changed.');
    for (const button of node.querySelectorAll('button')) button.hidden = true;
  }
}

function showHealth() {
  const box = $('outbox-health');
  box.dataset.state = outbox.health.state;
  setText(box, ({ nobody: '✕ ', held: '! ', origins: '! ', paused: '❚❚ ', unseen: '… ', idle: '○ ', waiting: '○ ' }[outbox.health.state] ?? '✓ ') + outbox.health.text);
  $('outbox-pause').hidden = outbox.isPaused;
  $('outbox-resume').hidden = !outbox.isPaused;
  const hour = outbox.hour ?? [], sum = key => hour.reduce((total, minute) => total + minute[key], 0);
  const delivered = sum('delivered'), first = hour[0]?.at;
  const span = first == null ? 0 : Math.min(60, Math.max(1, Math.round((now() - first) / 60_000)));
  setText($('kpi-delivered'), number(delivered));
  setText($('kpi-delivered-note'), span ? 'delivered in ' + (span >= 60 ? 'the last hour' : 'the last ' + (span === 1 ? 'minute' : span + ' minutes')) + ', ' + rate(delivered / span) : 'delivered');
  setText($('kpi-stored'), number(sum('stored')));
  setText($('kpi-oldest'), outbox.oldest == null ? 'none' : duration(now() - outbox.oldest));
  setText($('kpi-size'), bytes(outbox.bytes));
  plot($('plot-delivered'), hour, 'delivered', 'Delivered per minute');
  plot($('plot-stored'), hour, 'stored', 'Stored per minute');
  plot($('plot-oldest'), hour, 'oldestAge', 'Age of the oldest request, in seconds');
}

const rate = perMinute => (perMinute < 10 ? perMinute.toFixed(1) : number(Math.round(perMinute))) + ' a minute';

function plot(canvas, minutes, key, name) {
  const values = minutes.map(minute => minute[key] ?? 0), most = Math.max(1, ...values), bars = 60;
  const ratio = devicePixelRatio || 1, width = Math.round(canvas.clientWidth * ratio), height = Math.round(canvas.clientHeight * ratio);
  if (!width) return;
  if (canvas.width !== width) canvas.width = width;
  if (canvas.height !== height) canvas.height = height;
  const context = canvas.getContext('2d'), step = width / bars;
  context.clearRect(0, 0, width, height);
  context.fillStyle = getComputedStyle(canvas).color;
  values.slice(-bars).forEach((value, index, all) => {
    const tall = value ? Math.max(ratio, value / most * (height - ratio)) : 0;
    context.fillRect((bars - all.length + index) * step, height - tall, Math.max(1, step - ratio), tall);
  });
  canvas.setAttribute('aria-label', name + ': now ' + number(Math.round(values.at(-1) ?? 0)) + ', maximum ' + number(Math.round(most)));
}

const kinds = { trouble: 'does not respond', busy: 'asked for a pause', unauthorized: 'refuses the credentials' };

function table(id, head, lines, empty) {
  const box = $(id);
  if (hasSelection(box) || box.contains(document.activeElement)) return;
  const shape = JSON.stringify(lines.map(line => line.map(cell => cell instanceof Node ? cell.textContent : cell)));
  if (box.shape === shape) return;
  box.shape = shape;
  box.replaceChildren(make('thead', {}, make('tr', {}, ...head.map(name => make('th', { scope: 'col' }, name)))),
    make('tbody', {}, ...(lines.length ? lines.map(line => make('tr', {}, ...line.map((cell, index) =>
      make(index ? 'td' : 'th', index ? {} : { scope: 'row' }, cell)))) : [make('tr', {}, make('td', { class: 'soft', colspan: head.length }, empty))])));
}

function showOrigins() {
  const held = outbox.held;
  const open = new Map();
  for (const row of rows) {
    const origin = hostOf(row.url);
    if (origin && ['stored', 'attempting'].includes(row.state) && !held.some(hold => hostOf(hold.origin).replace(/:(80|443)$/, '') === origin)) {
      open.set(origin, (open.get(origin) ?? 0) + 1);
    }
  }
  table('held-table', ['Origin', 'Key', 'Health', 'Why', 'Next request', 'Action'], [
    ...held.map(hold => [hold.origin, hold.key ?? '', '✕ ' + (kinds[hold.kind] ?? 'held'), hold.reason,
      hold.until <= now() ? 'now, one request' : 'at ' + dateTime(hold.until),
      make('button', { class: 'small', 'aria-label': 'Resume ' + hold.origin + (hold.key ? ' ' + hold.key : ''),
        onclick: event => { event.target.blur(); act({ name: 'resume-origin', origin: hold.origin, key: hold.key }, 'Sends to the origin again.'); } }, 'Resume')]),
    ...[...open].sort().map(([origin, count]) => [origin, '', '✓ open', counted(count, 'request') + ' on this page', '', '']),
  ], 'No origin is held.');
  setText($('held-count'), held.length ? '(' + held.length + ' held)' : '');
  table('paused-table', ['Paused lane', 'Action'], outbox.pausedLanes.map(lane => [lane,
    make('button', { class: 'small', 'aria-label': 'Resume the lane ' + lane,
      onclick: event => { event.target.blur(); act({ name: 'resume', lane }, 'The lane is resumed.'); } }, 'Resume')]), 'No lane is paused.');
  setText($('paused-count'), outbox.pausedLanes.length ? '(' + outbox.pausedLanes.length + ')' : '');
  table('worker-table', ['Worker', 'Requests', 'State'], (outbox.workers ?? []).map(worker => [worker.name,
    counted(worker.claims, 'request'), worker.state]), 'No worker has claimed a request.');
  setText($('worker-count'), outbox.workers?.length ? '(' + outbox.workers.length + ')' : '');
}

// MARK: details of one request

async function choose(row) {
  chosen = row?.id ?? null;
  keepPlace();
  list.mark(chosen);
  $('outbox-details').hidden = !row;
  if (!row) { detail = null; read(); return; }
  setText($('outbox-title'), row.method + ' ' + row.url);
  setText($('outbox-outcome'), '');
  detailTabs.select(detailTab);
  // Nothing of another request stays under this one's name.
  if (detail?.row.id !== row.id) [detail, isLoading] = [undefined, true];
  renderDetail();
  await readDetail();
}

// Reads the request. With `waits`, a change waits behind a button while the reader is in the details.
async function readDetail(waits = false) {
  const id = chosen, found = await fetchJSON('outbox/request?id=' + encodeURIComponent(id)), panel = $('outbox-panel');
  if (chosen !== id) return;
  if (waits && !wantsDetail) {
    if (found === undefined || JSON.stringify(found) === JSON.stringify(detail)) return;
    if (isOver || hasSelection(panel) || panel.contains(document.activeElement)) { $('outbox-changed').hidden = false; return; }
  }
  $('outbox-changed').hidden = true;
  [detail, isLoading, wantsDetail] = [found, false, false];
  if (found) {
    setText($('outbox-title'), found.row.method + ' ' + found.row.url);
    list.replace(found.row);
  }
  renderDetail();
}

// Shows the effect of the reader's own action, wherever the pointer is.
let wantsDetail = false, isLoading = false;
async function actHere(action, done) {
  wantsDetail = true;
  await act(action, done);
}

function renderDetail() {
  const panel = $('outbox-panel');
  panel.setAttribute('aria-labelledby', 'outbox-tabs-' + detailTab);
  if (!detail) {
    panel.replaceChildren(make('p', {}, isLoading ? '' : detail === null ? 'The outbox does not know this request any more.'
      : 'The program does not answer, so the details cannot be shown.'));
    return;
  }
  setText($('outbox-outcome'), (signs[detail.row.state] ?? detail.row.state) + ', ' + counted(detail.row.attempts, 'attempt'));
  panel.replaceChildren(...({ overview: detailOverview, request: detailRequest, attempts: detailAttempts, response: detailResponse, lane: detailLane })[detailTab]());
}

function detailOverview() {
  const { row } = detail, buttons = make('p', { class: 'bar' });
  const one = name => change(name, 1, { ids: [row.id], filter: { state: row.state }, named: row.method + ' ' + row.url });
  if (canRetry.has(row.state)) {
    buttons.append(make('button', { class: 'small', onclick: () => one('retry') }, 'Retry…'), make('button', { class: 'small danger', onclick: () => one('drop') }, 'Drop…'));
  }
  if (row.lane != null) {
    const isPaused = outbox?.pausedLanes.includes(row.lane);
    buttons.append(make('button', { class: 'small', onclick: () => actHere({ name: isPaused ? 'resume' : 'pause', lane: row.lane },
      isPaused ? 'The lane is resumed.' : 'The lane is paused.') }, isPaused ? 'Resume the lane' : 'Pause the lane'));
  }
  buttons.append(copyButton(row.id, 'the id', 'Copy id'));
  return [buttons, facts([['State', signs[row.state]], ['Reason', row.reason], ['Request', row.method + ' ' + row.url], ['Lane', row.lane],
    ['Id', row.id], ['Idempotency key', detail.idempotencyKey], ['Attempts', String(row.attempts)], ['Next attempt', nextText(row)],
    ['Stored', dateTime(row.created)], ['Changed', dateTime(row.changed)], ['Expires', dateTime(row.expires)],
    ['Priority', row.priority], ['Size', bytes(row.size)]])];
}

function detailRequest() {
  if (!detail.request) return [make('p', { class: 'soft' }, 'The content is deleted when a request is delivered or dropped.')];
  return [make('h3', {}, 'Fields'), fields(detail.request.fields, 'Request fields'), make('h3', {}, 'Body'),
    detail.request.body ? bodyView(detail.request.body, contentType(detail.request.fields), 'request body')
      : make('p', { class: 'soft' }, detail.request.note)];
}

function detailAttempts() {
  const { row, history } = detail;
  const lines = history.map(step => make('tr', {}, make('td', { class: 'number' }, dateTime(step.date)), make('td', { class: step.kind }, step.text)));
  return [make('table', { class: 'facts' }, make('tr', {}, make('th', { scope: 'col' }, 'Time'), make('th', { scope: 'col' }, 'Event')), ...lines,
    history.length ? '' : make('tr', {}, make('td', {}, dateTime(row.changed)), make('td', {}, row.reason ?? signs[row.state]))),
  make('p', { class: 'soft' }, 'The outbox stores the number of attempts and the last reason. Earlier steps are shown from when this page\'s program began to watch.')];
}

function detailResponse() {
  const { response } = detail;
  if (!response) return [make('p', { class: 'soft' }, 'No response is stored for this request.')];
  return [make('p', {}, 'Status ' + response.status), make('h3', {}, 'Fields'), fields(response.fields, 'Response fields'),
    make('h3', {}, 'Body'), bodyView(response.body, contentType(response.fields), 'response body')];
}

function detailLane() {
  if (detail.row.lane == null) return [make('p', { class: 'soft' }, 'The request is in no lane, and waits for no other.')];
  return [make('p', {}, 'Lane ', make('b', {}, detail.row.lane), ', in the order of delivery:'),
    make('table', { class: 'facts' }, ...detail.neighbours.map((row, index) => make('tr', { class: row.id === detail.row.id ? 'own' : '' },
      make('td', { class: 'number' }, detail.begins > index ? String(index + 1) : '…'),
      make('td', { class: row.state }, signs[row.state]), make('td', {}, row.method + ' ' + row.url + (row.id === detail.row.id ? ' (this request)' : '')),
      make('td', {}, row.reason ?? nextText(row)))))];
}

// MARK: events

export function takeOutbox(value) {
  // The page opens on the dead letters, unless there are none.
  if (!outbox && !isRestored && !value.counts['dead-letter']) { state = 'stored'; stateTabs.select(state); }
  outbox = value;
  showPending(outbox.pending);
  for (const [name, label] of states) {
    const count = outbox.counts[name] ?? 0;
    setText(stateTabs.button(name), label + ' ' + number(count));
    stateTabs.button(name).classList.toggle('alarm', name === 'dead-letter' && count > 0);
  }
  setText($('view-outbox-count'), outbox.counts['dead-letter'] ? '✕ ' + number(outbox.counts['dead-letter']) : '');
  if ($('outbox').hidden) return;
  drawOutbox();
}

export function drawOutbox() {
  if (!outbox) return;
  showHealth();
  showOrigins();
  // Another process may have attempted requests, which the counts do not show. So the page is read each time.
  read();
  if (chosen != null) readDetail(true);
}

export const hasOutbox = () => outbox != null;
export const heldOrigins = () => outbox?.held ?? [];

export function outboxKey(event) {
  const by = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1, PageDown: 15, PageUp: -15 }[event.key];
  if (by && !event.target.closest('.details, [role=tablist]')) {
    event.preventDefault();
    const row = list.step(by);
    if (row) choose(row);
  } else if (event.key === '/') { event.preventDefault(); $('outbox-text').focus(); }
  else if (event.key === 'n' && !list.more.hidden) list.more.click();
  else if (event.key === 'Enter' && event.target === list.scroller) $('outbox-details').querySelector('[role=tab][aria-selected=true]')?.focus();
  else if (event.key === 'x') { const row = list.item(chosen); if (row) { pick(row, !picked.has(row.id)); list.draw(); } }
  else if (event.key === 'u') $('pending').querySelector('button:not([hidden])')?.click();
  else if (event.key === 'Escape') { choose(null); list.scroller.focus(); }
}

// What of the view is kept in the URL.
let isRestored = false;
export const outboxPlace = () => ({ state, ...filters(), id: chosen });
export function restoreOutbox(place) {
  isRestored = states.some(([name]) => name === place.state);
  if (isRestored) { state = place.state; stateTabs.select(state); }
  for (const name of ['lane', 'origin', 'text']) $('outbox-' + name).value = place[name] ?? '';
  if (place.id) choose({ id: place.id, method: '', url: place.id });
  [cursors, moves] = [[0], true];
}

export function setUpOutbox(onmove) {
  keepPlace = onmove;
  list = new RowList($('outbox-list'), { columns, key: row => row.id, more: $('outbox-more'), choose, onrelease: () => { moves = true; read(); },
    rowClass: row => (known.has(row.id) ? '' : 'gone ') + (leaving.has(row.id) ? 'leaving ' : '') + (picked.has(row.id) ? 'picked' : ''),
    emptyText: () => isFiltered() ? (isReading ? 'Searching…' : 'No request matches the filter.') : 'No requests in this state.' });
  stateTabs = makeTabs($('outbox-states'), states.map(([name, label]) => [name, label]), name => { state = name; choose(null); restart(); });
  stateTabs.select(state);
  detailTabs = makeTabs($('outbox-tabs'), [['overview', 'Overview'], ['request', 'Request'], ['attempts', 'Attempts'], ['response', 'Response'],
    ['lane', 'Lane']], name => { detailTab = name; renderDetail(); });
  let typing = null;
  for (const id of ['outbox-lane', 'outbox-origin', 'outbox-text']) {
    $(id).addEventListener('input', () => { clearTimeout(typing); typing = setTimeout(restart, 250); });
  }
  $('outbox-filters').addEventListener('submit', event => event.preventDefault());
  $('outbox-next').addEventListener('click', () => { $('outbox-next').disabled = true; cursors.push(next); moves = true; list.scroller.scrollTop = 0; read(); });
  $('outbox-back').addEventListener('click', () => { $('outbox-back').disabled = true; cursors.pop(); moves = true; list.scroller.scrollTop = 0; read(); });
  $('outbox-pause').addEventListener('click', () => act({ name: 'pause' }, 'Delivery is paused.'));
  $('outbox-resume').addEventListener('click', () => act({ name: 'resume' }, 'Delivery is resumed.'));
  $('picked-retry').addEventListener('click', () => changePicked('retry'));
  $('picked-drop').addEventListener('click', () => changePicked('drop'));
  $('picked-none').addEventListener('click', () => { picked.clear(); list.draw(); showPicked(); });
  $('all-retry').addEventListener('click', () => changeAll('retry'));
  $('all-drop').addEventListener('click', () => changeAll('drop'));
  $('outbox-close').addEventListener('click', () => choose(null));
  $('outbox-changed').addEventListener('click', () => readDetail());
  $('outbox-panel').addEventListener('pointerenter', () => { isOver = true; });
  $('outbox-panel').addEventListener('pointerleave', () => { isOver = false; });
  showPicked();
}

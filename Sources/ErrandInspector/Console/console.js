const $ = id => document.getElementById(id);
const calls = new Map();
let shown = [], lines = [], chosen = null, paused = false, state = {}, present = 0;
// The client's time in the last message, and the page's time at its arrival.
let clock = null;
const ROW = 24;

function make(name, text, attributes = {}) {
  const node = document.createElement(name);
  if (text !== undefined && text !== null) node.textContent = text;
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  return node;
}

function duration(ms) {
  if (ms == null) return '';
  return ms < 999.5 ? (ms < 100 ? ms.toFixed(1) : ms.toFixed(0)) + ' ms' : (ms / 1000).toFixed(2) + ' s';
}

function host(url) { try { return new URL(url).host; } catch { return ''; } }

function matches(call) {
  const text = $('filter-text').value.toLowerCase(), only = $('filter-only').value;
  const took = (call.end ?? now(call)) - call.began;
  return (!text || (call.method + ' ' + call.url + ' ' + call.outcome).toLowerCase().includes(text))
    && String(call.status ?? '').startsWith($('filter-status').value.trim())
    && host(call.url).includes($('filter-host').value.trim().toLowerCase())
    && call.method.startsWith($('filter-method').value.trim().toUpperCase())
    && (!only || (only === 'slow' ? took > 1000
      : only === 'running' ? call.end == null : call.state === only));
}

function now(call) { return Math.max(present, call.began); }

// A step in progress lasts until now.
function endOf(call, span) { return Math.max(span.begin, span.end ?? call.end ?? now(call)); }

function arrange() {
  present = clock ? clock.time + performance.now() - clock.at : 0;
  for (const call of calls.values()) present = Math.max(present, call.end ?? call.began);
  const time = call => (call.end ?? now(call)) - call.began;
  const order = { id: (a, b) => b.id - a.id, time: (a, b) => time(b) - time(a),
    url: (a, b) => a.url < b.url ? -1 : a.url > b.url ? 1 : b.id - a.id }[$('sort').value];
  shown = [...calls.values()].filter(matches).sort(order);
  lines = shown.flatMap(call => [{ call }, ...(call.exchanges ?? []).map(exchange => ({ call, exchange }))]);
  $('count').textContent = shown.length + ' of ' + calls.size + ' calls';
  $('scroller').setAttribute('aria-rowcount', lines.length);
  $('spacer').style.height = lines.length * ROW + 'px';
  draw();
}

// Only visible rows are in the page, so that thousands of calls cost no more than one screen.
function draw() {
  const scroller = $('scroller'), top = Math.max(0, Math.floor(scroller.scrollTop / ROW) - 5);
  const bottom = Math.min(lines.length, top + Math.ceil(scroller.clientHeight / ROW) + 10);
  $('rows').replaceChildren(...lines.slice(top, bottom).map((line, index) =>
    line.exchange ? exchangeLine(line.call, line.exchange, top + index) : row(line.call, top + index)));
}

function row(call, index) {
  const outcome = call.end == null ? (call.waitsFor ? 'waits for ' + call.waitsFor : 'running') : call.outcome;
  const node = gridLine(call, index, 'row', [make('span', call.id, { class: 'soft' }), make('span', call.method),
    make('span', call.url, { title: call.url }),
    make('span', call.status ?? outcome, { class: call.state, title: outcome }),
    make('span', duration((call.end ?? now(call)) - call.began)), bars(call, call.spans)]);
  node.id = 'row-' + call.id;
  node.setAttribute('aria-selected', call.id === chosen);
  return node;
}

// One request of a call that sent several, below the call and on the same time scale.
function exchangeLine(call, exchange, index) {
  const spans = call.spans.filter(span => span.attempt === exchange.attempt && span.redirects === exchange.redirects);
  const time = spans.length ? Math.max(...spans.map(span => endOf(call, span))) - spans[0].begin : null;
  const outcome = exchange.status ?? exchange.failure ?? 'running';
  return gridLine(call, index, 'attempt', [make('span', ''),
    make('span', exchange.redirects ? '↪ ' + exchange.redirects : '# ' + exchange.attempt,
      { title: 'attempt ' + exchange.attempt + (exchange.redirects ? ', redirect ' + exchange.redirects : '') }),
    make('span', exchange.url, { title: exchange.url }),
    make('span', outcome, { title: exchange.failure ?? outcome, class: exchange.failure ? 'failed' : '' }),
    make('span', duration(time)), bars(call, spans)]);
}

function gridLine(call, index, name, cells) {
  const node = make('div', null, { role: 'row', class: name, 'aria-rowindex': index + 1 });
  node.style.top = index * ROW + 'px';
  for (const cell of cells) cell.setAttribute('role', 'gridcell');
  node.append(...cells);
  node.addEventListener('click', () => choose(call.id));
  return node;
}

function bars(call, spans) {
  const cell = make('span');
  cell.append(waterfall(call, spans));
  return cell;
}

function waterfall(call, spans) {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  svg.setAttribute('viewBox', '0 0 1000 16');
  svg.setAttribute('preserveAspectRatio', 'none');
  const length = Math.max((call.end ?? now(call)) - call.began, 0.001);
  svg.setAttribute('aria-label', spans.map(span =>
    span.step + ' ' + duration(endOf(call, span) - span.begin)).join(', ') || 'no steps yet');
  svg.setAttribute('role', 'img');
  for (const span of spans) {
    const bar = document.createElementNS(svg.namespaceURI, 'rect');
    const x = (span.begin - call.began) / length * 1000;
    bar.setAttribute('x', x.toFixed(1));
    bar.setAttribute('width', Math.max(2, (endOf(call, span) - span.begin) / length * 1000).toFixed(1));
    bar.setAttribute('y', 3);
    bar.setAttribute('height', 10);
    bar.setAttribute('class', classOf(span.step));
    svg.append(bar);
  }
  return svg;
}

function classOf(step) { return 's-' + step.split(' ')[0]; }

async function choose(id) {
  chosen = id;
  if (id == null) $('scroller').removeAttribute('aria-activedescendant');
  else $('scroller').setAttribute('aria-activedescendant', 'row-' + id);
  draw();
  const call = calls.get(id), box = $('details');
  if (!call) { box.hidden = true; return; }
  const details = await detailsOf(id);
  if (chosen !== id) return;
  box.hidden = false;
  box.replaceChildren(make('h2', call.method + ' ' + call.url), ...summary(call),
    ...(details ? parts(call, details) : [make('p', 'The details of this call were deleted to save memory.')]));
}

function summary(call) {
  const list = make('table'), facts = [['outcome', call.outcome || call.state], ['scope', (call.scopes ?? []).join(' / ')],
    ['priority', call.priority], ['purpose', call.purpose === 'caller' ? null : call.purpose],
    ['shares', call.shares ? 'the response of #' + call.shares : null],
    ['shared by', [...calls.values()].filter(other => other.shares === call.id).map(other => '#' + other.id).join(' ')],
    ['cache', call.cache], ['attempts', call.attempts], ['received', call.bytes ? call.bytes + ' bytes' : null]];
  for (const [name, value] of facts) if (value) tableRow(list, name, value);
  const steps = make('table');
  for (const span of call.spans) {
    const name = make('th');
    name.append(make('span', '■ ', { class: classOf(span.step), 'aria-hidden': true }),
      (span.attempt ? 'attempt ' + span.attempt + ', ' : '') + span.step);
    tableRow(steps, name, duration(endOf(call, span) - span.begin) + (span.end == null ? ' so far' : ''));
  }
  return [list, make('h3', 'Steps'), waterfall(call, call.spans), steps];
}

function tableRow(table, ...cells) {
  const line = make('tr');
  cells.forEach((cell, index) => line.append(cell instanceof Node ? cell : make(index ? 'td' : 'th', cell)));
  table.append(line);
}
function group(key) {
  const groups = new Map();
  for (const call of calls.values()) {
    const name = key(call);
    if (name == null) continue;
    const group = groups.get(name) ?? { running: 0, finished: 0, failed: 0, cancelled: 0, time: 0, last: [] };
    group[call.end == null ? 'running' : call.state] += 1;
    group.time += (call.end ?? call.began) - call.began;
    if (call.state === 'finished' || call.state === 'failed') group.last.push(call);
    groups.set(name, group);
  }
  return [...groups].sort(([a], [b]) => a < b ? -1 : 1);
}

function fill(table, head, rows) {
  table.replaceChildren();
  const line = make('tr');
  line.append(...head.map(text => make('th', text, { scope: 'col' })));
  table.append(line);
  for (const row of rows) tableRow(table, ...row);
}

function drawViews() {
  drawScopes();
  drawSlots(state.client);
  fill($('origin-table'), ['Origin', 'Health', 'Running', 'Finished', 'Failed', 'Cancelled', 'Mean time', 'Last failure'],
    group(call => call.origin).map(([name, group]) => {
      const last = group.last.slice(-10), failed = last.filter(call => call.state === 'failed');
      const held = state.outbox?.held.find(hold => hold.origin === name);
      const health = held ? 'on hold for ' + duration(held.until - state.outbox.now) + ': ' + held.reason
        : failed.length ? failed.length + ' of the last ' + last.length + ' failed' : 'good';
      return [name, make('td', health, { class: failed.length ? 'failed' : 'finished' }), group.running,
        group.finished, group.failed, group.cancelled,
        duration(group.time / Math.max(1, group.finished + group.failed)),
        group.last.findLast(call => call.state === 'failed')?.outcome ?? ''];
    }));
  fill($('decision-table'), ['Call', 'Request', 'Cache decision'],
    [...calls.values()].filter(call => call.cache).slice(-500).map(call =>
      ['#' + call.id, call.method + ' ' + call.url, call.cache]));
  drawOutbox(state.outbox);
}

// Nested scopes, each with the calls that belong to it directly.
function drawScopes() {
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
    const count = state => inner.calls.filter(call => (call.end == null ? 'running' : call.state) === state).length;
    const item = make('li', name + ': ' + ['running', 'finished', 'failed', 'cancelled']
      .map(state => count(state) + ' ' + state).join(', '));
    if (inner.inner.size) {
      const below = make('ul');
      below.append(...list(inner));
      item.append(below);
    }
    return item;
  });
  $('scope-tree').replaceChildren(...list(root));
}

const priorities = ['userInitiated', 'default', 'utility', 'background'];

function drawSlots(slots) {
  fill($('slot-table'), ['In flight', ...priorities.map(name => 'Waiting, ' + name)],
    [slots ? [make('td', slots.running + (slots.total ? ' of ' + slots.total : '')),
      ...priorities.map(name => slots.waiting[name] ?? 0)] : [make('td', 'This inspector shows no client.')]]);
  const rank = call => priorities.indexOf(call.priority);
  fill($('waiting-table'), ['Priority', 'Call', 'Request', 'Waiting time'],
    [...calls.values()].filter(call => call.end == null && call.waitsFor === 'a slot')
      .sort((a, b) => rank(a) - rank(b) || a.id - b.id).slice(0, 500).map(call =>
        [call.priority, '#' + call.id, call.method + ' ' + call.url, duration(now(call) - call.began)]));
}

async function readCache() {
  const response = await fetch('cache');
  const rows = response.ok ? await response.json() : [];
  fill($('cache-table'), ['Cached response', 'Status', 'Since', 'Bytes'], rows.map(row =>
    [row.url, row.status, new Date(row.since).toLocaleString(), row.size]));
  $('cache-count').textContent = rows.length + (rows.length === 1 ? ' cached response' : ' cached responses');
  if (!$('cache').hidden) setTimeout(readCache, 2000);
}

// For each of the last seconds: how many requests the outbox stored and delivered, and how many it holds.
const seconds = [];
let before = null;

function count(outbox) {
  if (!outbox) return;
  const all = Object.values(outbox.counts).reduce((sum, count) => sum + count, 0);
  const delivered = outbox.counts.delivered ?? 0, second = Math.floor(Date.now() / 1000);
  if (seconds.at(-1)?.second !== second) seconds.push({ second, stored: 0, delivered: 0 });
  if (before) {
    seconds.at(-1).stored += Math.max(0, all - before.all);
    seconds.at(-1).delivered += Math.max(0, delivered - before.delivered);
  }
  seconds.at(-1).depth = (outbox.counts.stored ?? 0) + (outbox.counts.attempting ?? 0);
  before = { all, delivered };
  if (seconds.length > 150) seconds.shift();
}

function plot(id, name, key) {
  const canvas = $(id), context = canvas.getContext('2d');
  const values = seconds.map(second => second[key]), most = Math.max(1, ...values);
  context.clearRect(0, 0, canvas.width, canvas.height);
  context.fillStyle = getComputedStyle(canvas).getPropertyValue('color');
  values.forEach((value, x) => {
    const height = value / most * (canvas.height - 2);
    context.fillRect(x * 2, canvas.height - height, 2, height);
  });
  const last = values.length > 1 && key !== 'depth' ? values.at(-2) : values.at(-1) ?? 0;
  canvas.setAttribute('aria-label', name + ': ' + last);
  $(id + '-name').textContent = name + ': ' + last + (key === 'depth' ? '' : '/s') + ', maximum ' + most;
}

function button(name, label, action) {
  const button = make('button', name, { 'aria-label': label });
  button.addEventListener('click', () => { button.blur(); act(action, 'Done: ' + name + '.'); });
  return button;
}

function drawOutbox(outbox) {
  $('outbox-state').textContent = outbox
    ? Object.entries(outbox.counts).map(([name, count]) => count + ' ' + name).join(', ')
      + (outbox.isPaused ? '; paused' : '') + '; ' + outbox.bytes + ' bytes' : 'This inspector shows no outbox.';
  if (!outbox) return;
  plot('plot-depth', 'Waiting', 'depth');
  plot('plot-stored', 'Stored', 'stored');
  plot('plot-delivered', 'Delivered', 'delivered');
  if ($('outbox').contains(document.activeElement) && document.activeElement.closest('table')) return;
  drawLanes(outbox);
  fill($('outbox-table'), ['Lane', 'State', 'Request', 'Attempts', 'Next', 'Reason', ''], outbox.rows.map(row => {
    const buttons = make('td');
    for (const name of row.state === 'dead-letter' ? ['retry', 'drop'] : row.state === 'stored' ? ['drop'] : []) {
      buttons.append(button(name, name + ' ' + row.method + ' ' + row.url, { name, id: row.id }));
    }
    const next = row.next == null ? '' : row.next <= outbox.now ? 'now' : 'in ' + duration(row.next - outbox.now);
    return [row.lane ?? '', make('td', row.state, { class: row.state }), row.method + ' ' + row.url, row.attempts,
      next, row.reason ?? '', buttons];
  }));
}

// Each lane with its first request, for which the others of the lane wait.
function drawLanes(outbox) {
  const lanes = new Map(outbox.pausedLanes.map(lane => [lane, []]));
  for (const row of outbox.rows) {
    if (row.lane != null && row.state !== 'dead-letter') lanes.set(row.lane, [...lanes.get(row.lane) ?? [], row]);
  }
  fill($('lane-table'), ['Lane', 'Waiting', 'First request', 'Next', ''], [...lanes].map(([lane, rows]) => {
    const isPaused = outbox.pausedLanes.includes(lane), head = rows[0], name = isPaused ? 'resume' : 'pause';
    const buttons = make('td');
    buttons.append(button(name, name + ' the lane ' + lane, { name, lane }));
    const next = !head ? '' : isPaused || outbox.isPaused ? 'paused' : head.state === 'attempting' ? 'attempting'
      : head.next == null || head.next <= outbox.now ? 'now' : 'in ' + duration(head.next - outbox.now);
    return [lane, rows.length, head ? head.method + ' ' + head.url : '', next, buttons];
  }));
}
const offline = JSON.parse($('data').textContent);

async function detailsOf(id) {
  if (offline) return offline.find(call => call.row.id === id)?.details;
  const response = await fetch('calls/' + id);
  return response.ok ? response.json() : null;
}

function parts(call, details) {
  const nodes = [];
  const curl = make('button', 'Copy as curl', { id: 'copy-curl' });
  curl.addEventListener('click', () => copy(details.curl));
  nodes.push(curl);
  if (!offline && details.canResend) {
    const again = make('button', 'Send again', { id: 'send-again' });
    again.addEventListener('click', () => act({ name: 'resend', call: call.id }, 'Sent again.'));
    nodes.push(' ', again);
  }
  for (const exchange of details.exchanges) {
    nodes.push(make('h3', (exchange.attempt ? 'Attempt ' + exchange.attempt : 'From the cache')
      + (exchange.redirects ? ', redirect ' + exchange.redirects : '')));
    nodes.push(make('p', exchange.method + ' ' + exchange.url), fields(exchange.fields));
    if (exchange.status) nodes.push(make('p', 'Response ' + exchange.status), fields(exchange.responseFields));
    if (exchange.failure) nodes.push(make('p', exchange.failure, { class: 'failed' }));
    if (exchange.retry) nodes.push(make('p', 'Attempted again ' + exchange.retry, { class: 'soft' }));
  }
  if (details.sent) nodes.push(make('h3', 'Request body'), body(details.sent));
  if (details.received) nodes.push(make('h3', 'Response body'), body(details.received, typeOf(details)));
  return nodes;
}

function typeOf(details) {
  const last = details.exchanges.at(-1)?.responseFields ?? [];
  return (last.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? '').split(';')[0].trim();
}

function fields(list) {
  const table = make('table');
  for (const [name, value] of list ?? []) tableRow(table, name, value);
  return table;
}

const images = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];

function body(part, type) {
  if (part.base64 && images.includes(type) && part.isWhole) {
    return make('img', null, { src: 'data:' + type + ';base64,' + part.base64, alt: 'The received image' });
  }
  let text = part.text ?? part.base64 ?? '';
  try { text = JSON.stringify(JSON.parse(text), null, 2); } catch { /* The text is not JSON, or is incomplete. */ }
  return make('pre', text + (part.isWhole ? '' : '\n… (the beginning of ' + part.length + ' bytes)'), { tabindex: 0 });
}

function say(text) {
  $('message').textContent = text;
  setTimeout(() => { if ($('message').textContent === text) $('message').textContent = ''; }, 4000);
}

async function copy(text) {
  try { await navigator.clipboard.writeText(text); say('Copied.'); } catch { say(text); }
}

async function act(action, done) {
  const response = await fetch('action', { method: 'POST', body: JSON.stringify(action),
    headers: { 'Content-Type': 'application/json' } });
  const answer = response.ok ? await response.json() : { error: 'The inspector refused the action with status ' + response.status + '.' };
  say(answer.error ?? done);
}

let pending = false;
function changed() {
  if (paused || pending) return;
  pending = true;
  requestAnimationFrame(() => { pending = false; arrange(); drawViews(); });
}

const views = ['calls', 'scopes', 'slots', 'origins', 'cache', 'outbox'];
for (const view of views) {
  $('view-' + view).addEventListener('click', () => {
    for (const other of views) {
      $(other).hidden = other !== view;
      $('view-' + other).setAttribute('aria-pressed', other === view);
    }
    if (view === 'cache') readCache();
    changed();
  });
}
for (const id of ['filter-text', 'filter-status', 'filter-host', 'filter-method', 'filter-only', 'sort']) {
  $(id).addEventListener('input', () => arrange());
}
$('filters').addEventListener('submit', event => event.preventDefault());
$('scroller').addEventListener('scroll', draw);
addEventListener('resize', draw);
$('pause').addEventListener('click', () => {
  paused = !paused;
  $('pause').setAttribute('aria-pressed', paused);
  changed();
});
$('clear').addEventListener('click', () => act({ name: 'clear' }, 'Cleared.'));
$('outbox-pause').addEventListener('click', () => act({ name: 'pause' }, 'Paused.'));
$('outbox-resume').addEventListener('click', () => act({ name: 'resume' }, 'Resumed.'));
$('save').addEventListener('click', save);
addEventListener('keydown', event => {
  if ($('calls').hidden || event.target.matches('input, select') || event.ctrlKey || event.metaKey || event.altKey) return;
  // The arrow keys scroll a body that is longer than its box.
  if (event.target.matches('pre') && event.key.startsWith('Arrow')) return;
  const index = shown.findIndex(call => call.id === chosen);
  const step = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }[event.key];
  if (step && shown.length) {
    event.preventDefault();
    const next = Math.min(shown.length - 1, Math.max(0, index + step));
    const line = lines.findIndex(line => line.call === shown[next]);
    $('scroller').scrollTop = Math.max(0, (line - 5) * ROW);
    choose(shown[next].id);
  } else if (event.key === '/') { event.preventDefault(); $('filter-text').focus(); }
  else if (event.key === 'p') $('pause').click();
  else if (event.key === 'Escape') choose(null);
});

// Saves the page with its data, script and style as one file.
async function save() {
  let data, script, style;
  try {
    [data, script, style] = await Promise.all(
      ['export', 'console.js', 'console.css'].map(async path => (await fetch(path)).text()));
  } catch { return say('The page cannot be saved, because the connection is lost.'); }
  const copy = document.documentElement.cloneNode(true);
  copy.querySelector('#data').textContent = data.replaceAll('<', '\\u003c');
  copy.querySelector('script[src]').replaceWith(Object.assign(make('script', null, { type: 'module' }), { textContent: script }));
  copy.querySelector('link').replaceWith(Object.assign(make('style'), { textContent: style }));
  const link = make('a', null, { download: 'calls.html', href: URL.createObjectURL(
    new Blob(['<!DOCTYPE html>' + copy.outerHTML], { type: 'text/html' })) });
  link.click();
  say('Saved.');
}

function take(rows) { for (const call of rows) calls.set(call.id, call); changed(); }

if (offline) {
  $('connection').textContent = 'saved copy';
  for (const id of ['pause', 'clear', 'har', 'save', 'view-slots', 'view-cache', 'view-outbox']) $(id).hidden = true;
  take(offline.map(call => call.row));
} else {
  const source = new EventSource('events');
  source.addEventListener('open', () => { $('connection').textContent = 'live'; });
  source.addEventListener('error', () => { $('connection').textContent = 'reconnecting'; });
  source.addEventListener('snapshot', event => { calls.clear(); take(JSON.parse(event.data)); });
  source.addEventListener('calls', event => {
    const rows = JSON.parse(event.data);
    take(rows);
    if (rows.some(call => call.id === chosen && call.end != null)) choose(chosen);
  });
  source.addEventListener('gone', event => {
    for (const id of JSON.parse(event.data)) calls.delete(id);
    changed();
  });
  source.addEventListener('state', event => {
    state = JSON.parse(event.data);
    clock = state.now == null ? null : { time: state.now, at: performance.now() };
    count(state.outbox);
    changed();
  });
}

// The details of a call, in tabs.
import { $, copyButton, hasSelection, make, makeTabs, setText, copy } from './dom.js';
import { bytes, dateTime, duration } from './format.js';
import { act, fetchJSON, saved } from './connection.js';
import { bodyView } from './body.js';
import { cacheWord } from './filter.js';
import { axisOf, groupOf, paint } from './waterfall.js';
import { calls, outcomeOf, present } from './model.js';

let call = null, details = null, tab = 'overview', tabs = null, close = null, isOver = false, wanted = 0, isLoading = false;

const names = [['overview', 'Overview'], ['headers', 'Headers'], ['request', 'Request'], ['response', 'Response'],
  ['timing', 'Timing'], ['attempts', 'Attempts']];

export function setUpDetails() {
  tabs = makeTabs($('call-tabs'), names, name => { tab = name; render(); });
  $('call-close').addEventListener('click', () => close?.());
  $('call-changed').addEventListener('click', () => load());
  const panel = $('call-panel');
  panel.addEventListener('pointerenter', () => { isOver = true; });
  panel.addEventListener('pointerleave', () => { isOver = false; });
}

export function showDetails(chosen, onclose) {
  const isOther = call?.id !== chosen.id;
  [call, close] = [chosen, onclose];
  $('call-details').hidden = false;
  tabs.select(tab);
  head();
  if (!isOther) return;
  // Nothing of another call stays under this one's name.
  [details, isLoading] = [undefined, true];
  render();
  load();
}

export function closeDetails() {
  call = null;
  $('call-details').hidden = true;
}

// A change does not move what the reader reads: it waits behind a button while the pointer or a selection is there.
export function updateDetails(changed) {
  const before = call;
  call = changed;
  head();
  if (before && before.end === changed.end && before.attempts === changed.attempts && before.state === changed.state) return;
  const panel = $('call-panel');
  if (isOver || hasSelection(panel) || panel.contains(document.activeElement)) $('call-changed').hidden = false;
  else load();
}

function head() {
  setText($('call-title'), call.method + ' ' + call.url);
  setText($('call-outcome'), '#' + call.id + ', ' + outcomeOf(call) + ', ' + duration((call.end ?? present()) - call.began)
    + (call.end == null ? ' so far' : ''));
}

async function load() {
  const id = call.id, request = ++wanted;
  $('call-changed').hidden = true;
  const found = saved ? saved.find(item => item.row.id === id)?.details : await fetchJSON('calls/' + id);
  if (request !== wanted || call?.id !== id) return;
  [details, isLoading] = [found, false];
  render();
}

function render() {
  const panel = $('call-panel');
  panel.setAttribute('aria-labelledby', 'call-tabs-' + tab);
  if (!details) {
    panel.replaceChildren(make('p', {}, isLoading ? '' : details === null || saved ? 'The details of this call were deleted to save memory.'
      : 'The program does not answer, so the details cannot be shown.'));
    return;
  }
  tabs.button('attempts').textContent = details.exchanges.length > 1 ? 'Attempts (' + details.exchanges.length + ')' : 'Attempts';
  panel.replaceChildren(...({ overview, headers, request, response, timing, attempts })[tab]());
  panel.scrollTop = 0;
}

export function facts(rows) {
  const table = make('table', { class: 'facts' });
  for (const [name, value] of rows) {
    if (value == null || value === '' || value === false) continue;
    table.append(make('tr', {}, make('th', { scope: 'row' }, name), make('td', {}, value)));
  }
  return table;
}

export function fields(list, name) {
  if (!list?.length) return make('p', { class: 'soft' }, 'No fields.');
  const table = make('table', { class: 'fields', 'aria-label': name });
  for (const [field, value] of list) table.append(make('tr', {}, make('th', { scope: 'row' }, field), make('td', {}, value)));
  return table;
}

export const contentType = list => (list ?? []).find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? '';
const last = () => details.exchanges.at(-1);

function overview() {
  const buttons = make('p', { class: 'bar' },
    make('button', { id: 'copy-curl', class: 'small', onclick: () => copy(details.curl, 'a curl command') }, 'Copy as curl'),
    copyButton(() => details.url, 'the URL', 'Copy URL'));
  if (!saved && details.canResend) {
    buttons.append(make('button', { id: 'send-again', class: 'small', onclick: async () => {
      await act({ name: 'resend', call: call.id }, 'Sent again.');
    } }, 'Send again'));
  }
  const sharedBy = [...calls.values()].filter(other => other.shares === call.id).map(other => '#' + other.id).join(' ');
  const failures = details.exchanges.filter(exchange => exchange.failure).length;
  return [buttons, facts([
    ['Outcome', outcomeOf(call)], ['URL', details.url], ['Started', dateTime(Date.parse(details.date))],
    ['Time', duration((call.end ?? present()) - call.began)], ['Type', call.type], ['Received', call.end == null ? '' : bytes(call.bytes)],
    ['Attempts', call.attempts || (call.shares != null ? 'none: it shares a response' : 'none')],
    ['Failed requests', failures || ''],
    ['Cache', [cacheWord(call), call.cache].filter(Boolean).join(': ')],
    ['Shares', call.shares ? 'the response of #' + call.shares : ''], ['Shared by', sharedBy],
    ['Scope', (call.scopes ?? []).join(' / ')], ['Priority', call.priority], ['Purpose', call.purpose === 'caller' ? '' : call.purpose],
    ['Address', last()?.address], ['HTTP', last()?.version],
  ])];
}

function headers() {
  const exchange = last(), shared = details.shared;
  const nodes = [];
  const responseFields = exchange?.responseFields ?? shared?.fields;
  const status = exchange?.status ?? shared?.status;
  const section = (title, list) => [make('h3', {}, title, ' ', list?.length
    ? copyButton(() => list.map(([name, value]) => name + ': ' + value).join('\n'), title.toLowerCase()) : ''), fields(list, title)];
  if (responseFields) nodes.push(...section('Response fields' + (status ? ' (' + status + ')' : ''), responseFields));
  else nodes.push(make('p', { class: 'soft' }, call.end == null ? 'No response yet.' : 'No response arrived.'));
  nodes.push(...section('Request fields', exchange?.fields ?? details.fields));
  return nodes;
}

function request() {
  const exchange = last();
  return [make('p', { class: 'mono' }, (exchange?.method ?? call.method) + ' ' + (exchange?.url ?? details.url)),
    details.sent ? bodyView(details.sent, contentType(details.fields) || contentType(exchange?.fields), 'request body')
      : make('p', { class: 'soft' }, 'The request has no body, or none was kept.')];
}

function response() {
  const exchange = last(), body = details.received ?? exchange?.body;
  const list = exchange?.responseFields ?? details.shared?.fields;
  if (body) return [bodyView(body, contentType(list) || call.type, 'response body')];
  const begun = exchange?.status ? 'Status ' + exchange.status + '. ' : '';
  return [make('p', { class: 'soft' }, call.end == null ? (begun ? begun + 'The body is arriving, and is shown when it is complete.' : 'No response yet.')
    : begun + (exchange?.failure ?? 'No response body was kept.'))];
}

function timing() {
  const axis = axisOf([call], present()), nodes = [];
  const groups = new Map();
  for (const span of call.spans) {
    const key = span.attempt + '/' + span.redirects;
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(span);
  }
  const bar = spans => {
    const box = make('div', { class: 'bars wide', role: 'img' });
    paint(box, call, axis, present(), spans);
    return box;
  };
  nodes.push(bar(call.spans));
  const table = make('table', { class: 'facts timing' }, make('tr', {}, ...['Step', 'After', 'Time'].map((name, index) => make('th', { scope: 'col', class: index ? 'number' : '' }, name))));
  for (const [key, spans] of groups) {
    const [attempt, redirects] = key.split('/').map(Number);
    if (groups.size > 1) {
      table.append(make('tr', { class: 'section' }, make('th', { scope: 'rowgroup', colspan: 3 },
        attempt ? 'Attempt ' + attempt + (redirects ? ', redirect ' + redirects : '') : 'Before the first attempt', bar(spans))));
    }
    for (const span of spans) {
      const end = Math.max(span.begin, span.end ?? call.end ?? present());
      table.append(make('tr', {}, make('th', { scope: 'row' }, make('i', { class: 'step ' + groupOf(span.step), 'aria-hidden': true }), span.step),
        make('td', { class: 'number' }, duration(span.begin - call.began)),
        make('td', { class: 'number' }, duration(end - span.begin) + (span.end == null && call.end == null ? ' so far' : ''))));
    }
  }
  nodes.push(table);
  return nodes;
}

function attempts() {
  if (!details.exchanges.length) {
    return [make('p', { class: 'soft' }, call.shares != null ? 'This call sent nothing: it shares the response of '
      + (call.shares ? '#' + call.shares : 'a call that had ended') + '.' : 'Nothing has been sent yet.')];
  }
  return details.exchanges.map((exchange, index) => {
    const title = (exchange.attempt ? 'Attempt ' + exchange.attempt : 'From the cache') + (exchange.redirects ? ', redirect ' + exchange.redirects : '');
    const outcome = exchange.failure ?? (exchange.status ? String(exchange.status) : 'running');
    const body = exchange.body ?? (index === details.exchanges.length - 1 ? details.received : null);
    return make('details', { class: 'attempt', open: index === details.exchanges.length - 1 },
      make('summary', {}, make('b', {}, title), ' ', make('span', { class: exchange.failure ? 'failed' : '' }, outcome)),
      make('p', { class: 'mono' }, exchange.method + ' ' + exchange.url),
      facts([['Status', exchange.status], ['Failure', exchange.failure], ['Attempted again', exchange.retry], ['HTTP', exchange.version]]),
      make('h3', {}, 'Request fields'), fields(exchange.fields, 'Request fields'),
      exchange.responseFields ? make('h3', {}, 'Response fields') : '', exchange.responseFields ? fields(exchange.responseFields, 'Response fields') : '',
      body ? make('h3', {}, 'Response body') : '', body ? bodyView(body, contentType(exchange.responseFields), 'body of ' + title.toLowerCase()) : '');
  });
}

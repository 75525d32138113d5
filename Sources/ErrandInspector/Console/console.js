// The page: its views, its keys, and the events of the program.
import { $, setText } from './dom.js';
import { connect, saved } from './connection.js';
import { callsChanged, callsKey, callsPlace, removeCalls, replaceCalls, restoreCalls, setUpCalls, takeCalls, tickCalls } from './calls.js';
import { setUpDetails } from './details.js';
import { drawCache, drawOrigins, drawScopes, drawSlots } from './lists.js';
import { setClock } from './model.js';
import { drawOutbox, heldOrigins, loseOutbox, outboxKey, outboxPlace, restoreOutbox, setUpOutbox, takeOutbox } from './outbox.js';
import { save } from './saving.js';

const views = ['calls', 'outbox', 'origins', 'scopes', 'slots', 'cache'];
let view = 'calls', slots = null, isFirst = true;

const drawing = {
  calls: callsChanged, outbox: drawOutbox, origins: () => drawOrigins(heldOrigins()), scopes: drawScopes,
  slots: () => drawSlots(slots), cache: drawCache,
};

function open(name) {
  view = name;
  for (const other of views) {
    $(other).hidden = other !== name;
    if (other === name) $('view-' + other).setAttribute('aria-current', 'page');
    else $('view-' + other).removeAttribute('aria-current');
  }
  keepPlace();
  drawing[name]();
}

// The view and its filters are in the URL, for a reload or a bookmark.
const places = { calls: callsPlace, outbox: outboxPlace };
function keepPlace() {
  if (saved) return;
  const place = places[view]?.() ?? {}, parameters = new URLSearchParams(Object.entries(place).filter(([, value]) => value)).toString();
  history.replaceState(null, '', '#' + view + (parameters ? '?' + parameters : ''));
}

function openPlace(has) {
  const [name, parameters] = location.hash.slice(1).split('?'), isKnown = views.includes(name) && !$('view-' + name).hidden;
  const place = Object.fromEntries(new URLSearchParams(parameters ?? ''));
  if (isKnown && name === 'calls') restoreCalls(place);
  if (isKnown && name === 'outbox') restoreOutbox(place);
  open(isKnown ? name : has.client ? 'calls' : 'outbox');
}

// A program without a client, or without an outbox, has no views of it.
function show(has) {
  if (has.name) {
    setText($('program'), has.name);
    document.title = has.name + ' – Errand';
  }
  for (const name of views) $('view-' + name).hidden = name === 'outbox' ? !has.outbox : !has.client;
  if (!isFirst) return;
  isFirst = false;
  openPlace(has);
  addEventListener('hashchange', () => openPlace(has));
}

addEventListener('keydown', event => {
  if (event.ctrlKey || event.metaKey || event.altKey || $('question').open || $('help').open) return;
  if (event.key === 'Escape' && event.target.matches('input')) { event.target.blur(); return; }
  if (event.target.matches('input:not([type=checkbox]), select, textarea')) return;
  if (event.key === '?') { $('help').showModal(); return; }
  if (view === 'calls') callsKey(event);
  if (view === 'outbox') outboxKey(event);
});

for (const name of views) $('view-' + name).addEventListener('click', () => open(name));
$('show-help').addEventListener('click', () => $('help').showModal());
setUpDetails();
setUpCalls(keepPlace);
setUpOutbox(keepPlace);

if (saved) {
  setText($('connection'), 'saved copy');
  $('connection').dataset.state = 'saved';
  for (const id of ['pause', 'clear', 'har', 'save']) $(id).hidden = true;
  show({ client: true, outbox: false });
  for (const name of ['slots', 'cache']) $('view-' + name).hidden = true;
  takeCalls(saved.map(call => call.row));
} else {
  $('save').addEventListener('click', save);
  connect({
    has: show,
    snapshot: replaceCalls,
    calls: takeCalls,
    gone: removeCalls,
    state: value => {
      slots = value.client;
      setClock(value.now ?? null);
      tickCalls();
    },
    outbox: takeOutbox,
    failure: value => loseOutbox(value.text),
  }, text => {
    setClock(null);
    loseOutbox(text);
  });
  setInterval(() => { if (!['calls', 'outbox'].includes(view) && !document.hidden) drawing[view](); }, 1000);
}

// The steps of calls on one time axis. The rules are pure; `paint` writes them into the page.
import { duration } from './format.js';

// Each step has a colour that colour-blind readers can tell from its neighbours, and a pattern or a height.
export const steps = [
  ['wait', 'Waiting', 'Waits: for a slot, a rate limit, dependencies, a shared response or the next attempt'],
  ['dns', 'DNS', 'Looks up the host'],
  ['connect', 'Connect', 'Connects'],
  ['tls', 'TLS', 'Completes the TLS handshake'],
  ['send', 'Send', 'Sends the request'],
  ['first', 'First byte', 'Waits for the first byte of the response'],
  ['body', 'Body', 'Receives the body'],
];

const groups = { queue: 'wait', backoff: 'wait', dependencies: 'wait', shared: 'wait', dns: 'dns', connect: 'connect',
  tls: 'tls', send: 'send', 'first byte': 'first', receive: 'body' };
export const groupOf = step => groups[step] ?? 'wait';

// The time from the first beginning to the last end of these calls.
export function axisOf(calls, now) {
  let from = Infinity, to = -Infinity;
  for (const call of calls) {
    from = Math.min(from, call.began);
    to = Math.max(to, call.end ?? now, call.began);
  }
  if (from > to) return { from: 0, to: 1, tick: 1 };
  const tick = tickOf(to - from || 1);
  return { from, to: from + Math.max(tick, Math.ceil((to - from) / tick) * tick), tick };
}

// A round distance of at most five ticks: 1, 2 or 5 times a power of ten.
export function tickOf(length) {
  const raw = Math.max(length, 1e-3) / 5, power = 10 ** Math.floor(Math.log10(raw));
  return [1, 2, 5, 10].map(factor => factor * power).find(tick => tick >= raw * 0.999);
}

// The parts of a call's bar, in fractions of the axis. A step in progress lasts until now.
export function segments(call, axis, now, spans = call.spans) {
  const length = axis.to - axis.from, place = time => Math.min(1, Math.max(0, (time - axis.from) / length));
  return spans.map(span => {
    const end = Math.max(span.begin, span.end ?? call.end ?? now);
    return { group: groupOf(span.step), left: place(span.begin), width: place(end) - place(span.begin), step: span.step,
      time: end - span.begin };
  });
}

export const describe = parts => parts.map(part => part.step + ' ' + duration(part.time)).join(', ') || 'no steps yet';

// Reuses the elements of an earlier bar.
export function paint(cell, call, axis, now, spans) {
  const parts = segments(call, axis, now, spans);
  while (cell.children.length > parts.length + 1) cell.lastChild.remove();
  while (cell.children.length < parts.length + 1) cell.append(document.createElement('i'));
  const length = axis.to - axis.from, from = Math.max(0, (call.began - axis.from) / length);
  const whole = Math.min(1, ((call.end ?? now) - axis.from) / length);
  place(cell.children[0], 'whole' + (call.end == null ? ' open' : ''), from, Math.max(0, whole - from));
  parts.forEach((part, index) => place(cell.children[index + 1], 'step ' + part.group, part.left, part.width));
  const text = describe(parts);
  if (cell.getAttribute('aria-label') !== text) {
    cell.setAttribute('aria-label', text);
    cell.title = text;
  }
}

function place(node, name, left, width) {
  if (node.className !== name) node.className = name;
  node.style.left = (left * 100).toFixed(3) + '%';
  node.style.width = 'max(2px, ' + (width * 100).toFixed(3) + '%)';
}

// A tick has room for its text; without a width, all have.
export function ticks(axis, width = Infinity) {
  const found = [], room = width * axis.tick / (axis.to - axis.from), every = Math.max(1, Math.ceil(46 / room));
  for (let time = 0; time <= (axis.to - axis.from) * 0.999; time += axis.tick * every) {
    found.push({ place: time / (axis.to - axis.from), text: duration(time).replace('.0 ms', ' ms') });
  }
  return found;
}

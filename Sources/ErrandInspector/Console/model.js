// The calls that the page knows, and the client's clock.

export const calls = new Map();

// The client's time in the last message, and the page's time at its arrival; null when the program is not reachable.
let clock = null, latest = 0;

export function setClock(time) {
  clock = time == null ? null : { time, at: performance.now() };
}

export const sawTime = time => { latest = Math.max(latest, time); };

export function present() {
  if (clock) latest = Math.max(latest, clock.time + performance.now() - clock.at);
  return latest;
}

export const outcomeOf = call => call.end == null ? (call.waitsFor ? 'waits for ' + call.waitsFor : 'running') : call.outcome;

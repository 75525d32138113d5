// The connection to the program.
import { $, say, setText } from './dom.js';

// The data of a saved copy of the page; null in the live page.
export const saved = JSON.parse($('data').textContent);

// How long an answer may take, in milliseconds.
const patience = 15_000;

// Returns what the program answers; null if it does not have it any more, and undefined if it cannot answer now.
export async function fetchJSON(path) {
  try {
    const response = await fetch(path, { signal: AbortSignal.timeout(patience) });
    return response.ok ? await response.json() : response.status === 404 ? null : undefined;
  } catch { return undefined; }
}

const refusals = {
  404: 'The program was started again: open the URL that it prints now.',
  413: 'These are too many requests for one change. Select fewer, or use a filter.',
};

// Asks the program for an action, and returns its result; null if that failed, which the page then says.
export async function act(action, done = '') {
  try {
    const response = await fetch('action', { method: 'POST', body: JSON.stringify(action), signal: AbortSignal.timeout(patience),
      headers: { 'Content-Type': 'application/json' } });
    const result = response.ok ? await response.json() : { error: refusals[response.status] ?? 'The program refused the action with status ' + response.status + '.' };
    if (result.error) say(result.error);
    else if (done) say(done);
    return result.error ? null : result;
  } catch {
    say('The program does not answer, so it is not known whether this was done.');
    return null;
  }
}

// Receives the events of the program, and connects again after a loss. `lost` is called with the reason.
export function connect(handlers, lost) {
  const shown = $('connection');
  let source = null, heard = 0, isEnded = false;
  const tell = (state, text) => {
    shown.dataset.state = state;
    setText(shown, text);
  };
  const lose = text => {
    tell('lost', text);
    lost(text);
  };
  const open = () => {
    source = new EventSource('events');
    source.addEventListener('error', () => {
      isEnded = source.readyState === EventSource.CLOSED;
      lose(isEnded ? 'the program of this page has ended: open the URL that it prints now' : 'program not reachable');
    });
    for (const [name, handler] of Object.entries(handlers)) {
      source.addEventListener(name, event => {
        heard = performance.now();
        if (shown.dataset.state !== 'live') tell('live', 'live');
        handler(JSON.parse(event.data));
      });
    }
  };
  open();
  // The program sends its state ten times a second.
  setInterval(() => {
    const silence = Math.round((performance.now() - heard) / 1000);
    if (source?.readyState === EventSource.OPEN && heard && silence >= 5) lose('no answer for ' + silence + ' s');
  }, 1000);
  // A browser opens few connections to one host, so that hidden pages would take those of the visible one.
  let hiding = null;
  document.addEventListener('visibilitychange', () => {
    clearTimeout(hiding);
    if (isEnded) return;
    if (!document.hidden) {
      if (!source) open();
      return;
    }
    hiding = setTimeout(() => { source.close(); source = null; heard = 0; }, 3000);
  });
}

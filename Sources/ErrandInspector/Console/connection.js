// The connection to the program.
import { $, say, setText } from './dom.js';

// The data of a saved copy of the page; null in the live page.
export const saved = JSON.parse($('data').textContent);

export async function fetchJSON(path) {
  try {
    const response = await fetch(path);
    return response.ok ? await response.json() : null;
  } catch { return null; }
}

// Asks the program for an action, and returns its result; null if that failed, which the page then says.
export async function act(action, done = '') {
  try {
    const response = await fetch('action', { method: 'POST', body: JSON.stringify(action),
      headers: { 'Content-Type': 'application/json' } });
    const result = response.ok ? await response.json() : { error: 'The program refused the action with status ' + response.status + '.' };
    if (result.error) say(result.error);
    else if (done) say(done);
    return result.error ? null : result;
  } catch {
    say('The program cannot be reached.');
    return null;
  }
}

// Receives the events of the program, and connects again after a loss.
export function connect(handlers, lost) {
  const source = new EventSource('events'), shown = $('connection');
  const tell = (state, text) => {
    shown.dataset.state = state;
    setText(shown, text);
  };
  source.addEventListener('open', () => tell('live', 'live'));
  source.addEventListener('error', () => {
    tell('lost', 'program not reachable');
    lost();
  });
  for (const [name, handler] of Object.entries(handlers)) {
    source.addEventListener(name, event => handler(JSON.parse(event.data)));
  }
}

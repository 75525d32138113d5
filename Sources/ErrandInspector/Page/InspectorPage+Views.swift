extension InspectorPage {
  /// The script of a call's details, the buttons, the keyboard and the connection.
  static let views = #"""
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
          ['export', 'page.js', 'page.css'].map(async path => (await fetch(path)).text()));
      } catch { return say('The page cannot be saved, because the connection is lost.'); }
      const copy = document.documentElement.cloneNode(true);
      copy.querySelector('#data').textContent = data.replaceAll('<', '\\u003c');
      copy.querySelector('script[src]').replaceWith(Object.assign(make('script'), { textContent: script }));
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

    """#
}

extension InspectorPage {
  /// The script of the views of scopes, slots, origins, the cache and the outbox.
  static let lists = #"""
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

    """#
}

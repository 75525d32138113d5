extension InspectorPage {
  /// The script of the list of calls and the details of a call. Data from requests becomes text, never HTML.
  static let rendering = #"""
    'use strict';
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

    """#
}

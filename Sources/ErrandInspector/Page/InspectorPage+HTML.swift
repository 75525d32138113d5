/// The inspector's page in plain HTML, CSS and JavaScript, which loads nothing from other servers.
enum InspectorPage {
  static let html = #"""
    <!DOCTYPE html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Errand</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="page.css">
    </head>
    <body>
    <header>
      <h1>Errand</h1>
      <p id="connection" role="status">connecting</p>
      <nav aria-label="Views">
        <button id="view-calls" aria-pressed="true">Calls</button>
        <button id="view-scopes" aria-pressed="false">Scopes</button>
        <button id="view-slots" aria-pressed="false">Slots</button>
        <button id="view-origins" aria-pressed="false">Origins</button>
        <button id="view-cache" aria-pressed="false">Cache</button>
        <button id="view-outbox" aria-pressed="false">Outbox</button>
      </nav>
      <div class="tools">
        <button id="pause" aria-pressed="false">Pause</button>
        <button id="clear">Clear</button>
        <a id="har" href="calls.har" download="calls.har">HAR</a>
        <button id="save">Save as HTML</button>
      </div>
    </header>
    <main id="calls">
      <form id="filters" aria-label="Filters">
        <label>Text <input id="filter-text" type="search" autocomplete="off"></label>
        <label>Status <input id="filter-status" size="4" autocomplete="off"></label>
        <label>Host <input id="filter-host" autocomplete="off"></label>
        <label>Method <input id="filter-method" size="6" autocomplete="off"></label>
        <label>Show <select id="filter-only">
          <option value="">all</option><option value="failed">failed</option>
          <option value="cancelled">cancelled</option><option value="slow">slower than 1 s</option>
          <option value="running">running</option>
        </select></label>
        <label>Sort <select id="sort">
          <option value="id">newest</option><option value="time">slowest</option><option value="url">URL</option>
        </select></label>
        <output id="count"></output>
      </form>
      <div class="split">
        <div id="scroller" tabindex="0" role="grid" aria-label="Calls" aria-rowcount="0">
          <div id="spacer"><div id="rows" role="rowgroup"></div></div>
        </div>
        <section id="details" aria-label="Details" hidden></section>
      </div>
    </main>
    <main id="scopes" hidden><h2>Scopes</h2><ul id="scope-tree"></ul></main>
    <main id="slots" hidden><h2>Slots</h2><table id="slot-table"></table>
      <h3>Waiting calls</h3><table id="waiting-table"></table>
    </main>
    <main id="origins" hidden><h2>Origins</h2><table id="origin-table"></table></main>
    <main id="cache" hidden><h2>Response cache</h2>
      <p id="cache-count"></p><table id="cache-table"></table>
      <h3>Decisions</h3><table id="decision-table"></table>
    </main>
    <main id="outbox" hidden>
      <h2>Outbox</h2>
      <p id="outbox-state"></p>
      <p><button id="outbox-pause">Pause</button> <button id="outbox-resume">Resume</button></p>
      <div class="plots">
        <p><canvas id="plot-depth" width="300" height="40" role="img"></canvas><span id="plot-depth-name"></span></p>
        <p><canvas id="plot-stored" width="300" height="40" role="img"></canvas><span id="plot-stored-name"></span></p>
        <p><canvas id="plot-delivered" width="300" height="40" role="img"></canvas><span id="plot-delivered-name"></span></p>
      </div>
      <h3>Lanes</h3>
      <table id="lane-table"></table>
      <h3>Requests</h3>
      <table id="outbox-table"></table>
    </main>
    <p id="message" role="alert"></p>
    <script id="data" type="application/json">null</script>
    <script src="page.js"></script>
    </body>
    </html>

    """#

  static let script = rendering + lists + views
}

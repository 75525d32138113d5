extension InspectorPage {
  static let style = #"""
    :root {
      color-scheme: light dark;
      --back: light-dark(#ffffff, #16181d); --text: light-dark(#1b1f24, #e6e9ee);
      --soft: light-dark(#57606a, #a3adba); --line: light-dark(#d0d7de, #343a44);
      --chosen: light-dark(#ddf0ff, #1d3349); --good: light-dark(#116329, #5fd38a);
      --bad: light-dark(#b3121d, #ff8f8a); --accent: light-dark(#0550ae, #7ab8ff);
    }
    * { box-sizing: border-box; }
    body { margin: 0; height: 100vh; display: flex; flex-direction: column; background: var(--back);
      color: var(--text); font: 13px/1.45 system-ui, sans-serif; }
    header { display: flex; flex-wrap: wrap; gap: 4px 16px; align-items: center; padding: 6px 12px;
      border-bottom: 1px solid var(--line); }
    h1 { font-size: 15px; margin: 0; } h2 { font-size: 14px; overflow-wrap: anywhere; } h3 { font-size: 13px; margin: 10px 0 2px; }
    #connection, #count { color: var(--soft); margin: 0; }
    button, select, input, .tools a { font: inherit; color: var(--text); background: var(--back);
      border: 1px solid var(--soft); border-radius: 4px; padding: 2px 8px; text-decoration: none; }
    button[aria-pressed=true] { background: var(--chosen); }
    :focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
    main { flex: 1; min-height: 0; overflow: auto; padding: 0 12px; }
    main#calls { display: flex; flex-direction: column; padding: 0; }
    .tools a { display: inline-block; } [hidden] { display: none !important; }
    #filters { display: flex; flex-wrap: wrap; gap: 4px 12px; padding: 6px 12px; align-items: center;
      border-bottom: 1px solid var(--line); }
    .split { flex: 1; min-height: 0; display: flex; }
    #scroller { flex: 3; overflow-y: auto; position: relative; }
    #spacer { position: relative; }
    #details { flex: 2; min-width: 0; overflow: auto; padding: 8px 12px; border-left: 1px solid var(--line); }
    .row, .attempt { position: absolute; left: 0; right: 0; height: 24px; display: grid; gap: 8px; padding: 0 12px;
      grid-template-columns: 5ch 7ch minmax(12ch, 3fr) 14ch 8ch minmax(12ch, 2fr); align-items: center;
      white-space: nowrap; cursor: default; border-bottom: 1px solid var(--line); }
    .row > *, .attempt > * { overflow: hidden; text-overflow: ellipsis; }
    .attempt { color: var(--soft); }
    .row[aria-selected=true] { background: var(--chosen); }
    .failed, .dead-letter { color: var(--bad); } .finished { color: var(--good); }
    .cancelled, .soft { color: var(--soft); }
    svg { display: block; height: 16px; width: 100%; }
    .s-queue, .s-backoff, .s-dependencies, .s-shared { --step: light-dark(#6a737d, #8b949e); }
    .s-dns { --step: light-dark(#1b7c83, #39c5cf); } .s-connect { --step: light-dark(#bc4c00, #f0883e); }
    .s-tls { --step: light-dark(#8250df, #bc8cff); } .s-send { --step: light-dark(#0969da, #58a6ff); }
    .s-first { --step: light-dark(#1a7f37, #3fb950); } .s-receive { --step: light-dark(#0a6ebd, #79c0ff); }
    rect { fill: var(--step); } th > [class^=s-] { color: var(--step); }
    table { border-collapse: collapse; } th, td { text-align: left; padding: 2px 12px 2px 0; vertical-align: top; }
    td { overflow-wrap: anywhere; } td button { margin: -3px 4px -3px 0; }
    #details p { overflow-wrap: anywhere; }
    pre { white-space: pre-wrap; overflow-wrap: anywhere; background: light-dark(#f6f8fa, #1f232a); padding: 8px;
      max-height: 40vh; overflow: auto; margin: 4px 0; }
    img { max-width: 100%; }
    canvas { border: 1px solid var(--line); display: block; }
    .plots { display: flex; flex-wrap: wrap; gap: 4px 16px; } .plots p { margin: 0; color: var(--soft); }
    #message { position: fixed; bottom: 8px; right: 12px; margin: 0; background: var(--chosen); }
    #message:not(:empty) { padding: 6px 10px; border: 1px solid var(--accent); }

    """#
}

/// The subcommands of `errand outbox`.
extension CommandSpec {
  static let outbox = CommandSpec(
    name: "outbox", operands: ["COMMAND"], summary: "requests that must arrive: list, deliver, look after",
    notes: [
      "errand post URL ... --guaranteed stores a request on the disk, then attempts it until a server accepts it.",
      "Whatever happens to that process, errand outbox run delivers it later. It arrives at least once, and",
      "its Idempotency-Key stays the same through every attempt, so a server can tell. That command sends its own",
      "request, and what waits for the same server; errand outbox run delivers everything.",
      "",
      "States: stored, attempting, delivered; dead-letter if it was rejected or attempted too often (it stays until",
      "retry or drop); expired, dropped. What is over is forgotten after 7 days.",
      "",
      "No credential is stored. Those of a -H go with the attempts of the command that they were given to, and",
      "with no other request; others that deliver need their own: errand outbox run -H 'Authorization: ...'",
      "--to https://api.example.com. The same holds for the options of the connection, as --cacert and --proxy.",
      "",
      "The usual folder is $XDG_STATE_HOME/errand/outbox, else ~/.local/state/errand/outbox. Several",
      "processes may use one folder. An ID may be given by its end, as list shows it, or its beginning.",
      "",
      "Several machines share a database of PostgreSQL: --store postgres://HOST/DATABASE. libpq reads what is not",
      "in the URL from the environment: a password in the file $PGPASSFILE or in PGPASSWORD is in no process list.",
    ],
    examples: [
      "errand post https://api.example.com/orders --json @order.json --guaranteed --detach",
      "errand outbox run --until-empty", "errand outbox list --state dead-letter --output json",
      "errand outbox run --store postgres://db.example.com/app",
    ],
    subcommands: [
      list, show, run, watch, stats, serve, retry, drop, pause, resume, export, imports, workers, health,
      migrate,
    ])

  private static let place = Group(title: "Where, and how it is shown", options: [.store, .format])

  private static let list = CommandSpec(
    name: "outbox list", operands: [], summary: "list what is stored, in order",
    notes: [
      "States: stored, attempting, delivered, dead-letter, expired, dropped.",
      "With --limit it is a page. If there are more, the last line of standard error has the --after of the next",
      "page, and JSON has it as \"next\".",
    ],
    groups: [Group(title: "Which", options: [.state, .lane, .limit, .after]), place],
    examples: [
      "errand outbox list --state dead-letter --limit 100", "errand outbox list --lane chat --output json",
    ])

  private static let show = CommandSpec(
    name: "outbox show", operands: ["ID"], summary: "show one request, and its response if it has one",
    groups: [place], examples: ["errand outbox show 3f2a"])

  private static let run = CommandSpec(
    name: "outbox run", operands: [], summary: "deliver what is stored, until control-C or SIGTERM",
    notes: [
      "It begins at once with what others store, and retries by itself. Told to stop, it begins nothing",
      "more, lets attempts end for a while and gives the rest back. A second signal ends it at once: nothing is",
      "lost by that either. Several may run on one folder; each request is one's at a time.",
      "",
      "--until-empty waits for what has to wait; --once does not: it is for cron. Both end with 7 if a request",
      "became a dead letter, 8 if one expired or was dropped, else 0; a signal that comes before makes it 143 (130",
      "after control-C). Without them a signal is how it ends: with 0. With --once it ends with 6 if its database",
      "does not respond, at the beginning or later: each call waits for 10 s.",
    ],
    groups: [
      Group(title: "How", options: [.untilEmpty, .once, .concurrency, .grace, .timeout]),
      Group(title: "What is added at each attempt, and never stored", options: [.header, .origin]),
      Group(title: "The connection", options: OptionSpec.ways), place,
    ],
    examples: [
      "errand outbox run --until-empty",
      "errand outbox run -H \"Authorization: Bearer $TOKEN\" --to https://api.example.com",
    ])

  private static let watch = CommandSpec(
    name: "outbox watch", operands: [], summary: "see what happens to it, in every process, until control-C",
    notes: [
      "A terminal shows a table that is kept up to date, with how much is stored and delivered a second, and a bar",
      "for each of the last 40 seconds. Elsewhere each step is a line; with --output json an object a line.",
    ], groups: [place])

  private static let serve = CommandSpec(
    name: "outbox serve", operands: [], summary: "show it on a page in a browser, until control-C",
    notes: [
      "The first line is the URL, with a token: only who has it may look. The page is served to this machine only,",
      "shows lanes, next attempts and dead letters, and has buttons to retry, drop, pause and resume.",
    ],
    groups: [Group(title: "Where", options: [.port]), place], examples: ["errand outbox serve --port 8090"])

  private static let stats = CommandSpec(
    name: "outbox stats", operands: [],
    summary: "count what is stored, by state and lane, and say what is held",
    groups: [place])

  private static let retry = CommandSpec(
    name: "outbox retry", operands: ["[ID ...]"],
    summary: "try at once what waits, dead letters and what expired",
    notes: [
      "A request that is being attempted stays, unless you give --force because its worker is gone or hangs. The",
      "attempt counts, and ends unless the worker delivers it after all: then the server may receive it twice.",
    ],
    groups: [Group(title: "Which", options: [.everything, .force]), place],
    examples: [
      "errand outbox retry 3f2a 77c0", "errand outbox retry --all", "errand outbox retry --force 3f2a",
    ])

  private static let drop = CommandSpec(
    name: "outbox drop", operands: ["[ID ...]"], summary: "give up what waits, dead letters and what expired",
    notes: ["A request that is being attempted stays."],
    groups: [Group(title: "Which", options: [.everything]), place], examples: ["errand outbox drop 3f2a"])

  private static let pause = CommandSpec(
    name: "outbox pause", operands: [], summary: "begin no attempts, in any process, until resume",
    groups: [Group(title: "Which", options: [.lane]), place], examples: ["errand outbox pause --lane chat"])

  private static let resume = CommandSpec(
    name: "outbox resume", operands: [], summary: "go on after pause",
    groups: [Group(title: "Which", options: [.lane]), place])

  private static let export = CommandSpec(
    name: "outbox export", operands: ["[ID ...]"], summary: "write out what is stored, as JSON Lines",
    notes: [
      "All that is stored, in an attempt or a dead letter goes to standard output, in order, with its bodies. It",
      "stays stored. It is plain text: keep the file safe.",
    ],
    groups: [Group(title: "Which", options: [.state, .lane]), Group(title: "Where", options: [.store])],
    examples: [
      "errand outbox export > FILE",
      "errand outbox export --state dead-letter | gzip > dead-letters.jsonl.gz",
    ])

  private static let imports = CommandSpec(
    name: "outbox import", operands: ["FILE"], summary: "store what was exported",
    notes: [
      "FILE may be - for standard input. Each comes with its ID, its Idempotency-Key and its lane; what was",
      "a dead letter is attempted again. An ID that is known here already is left as it is, so importing twice",
      "stores nothing twice. If a line is broken, what was complete before it is stored.",
    ],
    groups: [place],
    examples: [
      "errand outbox import FILE", "ssh host errand outbox export | errand outbox import -",
      "errand outbox export | errand outbox import - --store postgres://db.example.com/app",
    ])

  private static let workers = CommandSpec(
    name: "outbox workers", operands: [], summary: "list who delivers from a database, and what they hold",
    notes: ["A worker whose heartbeat is missing is gone: others take what it held."], groups: [place],
    examples: ["errand outbox workers --store postgres://db.example.com/app"])

  private static let health = CommandSpec(
    name: "outbox health", operands: [], summary: "exit with 0 if what is stored is being delivered, else 1",
    notes: [
      "One line says why. It fails if the store cannot be read, if nothing delivers from a database that holds",
      "requests, if a request has waited for longer than --oldest, or if one has been attempting for a minute longer",
      "than its lease, or than its worker may be silent: its worker is gone or hangs, and no other took it over.",
    ],
    groups: [Group(title: "When it fails", options: [.oldest]), place],
    examples: ["errand outbox health --store postgres://db.example.com/app --oldest 15m"])

  private static let migrate = CommandSpec(
    name: "outbox migrate", operands: [], summary: "make a database's tables, or bring them up to date",
    notes: [
      "A worker does it by itself when it opens the database. For one whose role may not: run this first, with",
      "one that may. Migrating again does nothing. Tables of a newer version are left as they are.",
    ],
    groups: [Group(title: "How", options: [.dryRun]), place],
    examples: ["errand outbox migrate --store postgres://owner@db.example.com/app --dry-run"])
}

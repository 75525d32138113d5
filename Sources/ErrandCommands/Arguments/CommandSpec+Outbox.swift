/// The subcommands of `errand outbox`.
extension CommandSpec {
  static let outbox = CommandSpec(
    name: "outbox", operands: ["COMMAND"], summary: "store, deliver and manage requests that must arrive",
    notes: [
      "errand post URL ... --guaranteed stores a request on disk, then attempts it until the server accepts it.",
      "If that process ends first, errand outbox run delivers the request later. A request may arrive more than",
      "once; all its attempts carry the same Idempotency-Key, so that the server can recognize them. A command with",
      "--guaranteed delivers only requests to the server of its URL; errand outbox run delivers all requests.",
      "",
      "States: stored, attempting, delivered, expired, dropped, and dead-letter (rejected or attempted too often).",
      "A dead letter stays until retry or drop. Delivered, expired and dropped requests are deleted after 7 days.",
      "",
      "Credentials are not stored. A credential in -H is sent only by the command that it was given to, and only",
      "with that command's request. Give it to errand outbox run again, with its server: --bearer @FILE",
      "--to https://api.example.com. Connection options such as --cacert and --proxy are not stored either.",
      "",
      "The default folder is $XDG_STATE_HOME/errand/outbox, or else ~/.local/state/errand/outbox. Several",
      "processes can use one folder. An ID may be shortened to its first or its last characters.",
      "",
      "Several machines can share a PostgreSQL database: --store postgres://HOST/DATABASE. libpq reads the settings",
      "that the URL lacks from the environment. $PGPASSFILE and $PGPASSWORD keep the password out of process lists.",
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

  private static let place = Group(title: "Store and output", options: [.store, .bodiesFolder, .format])

  private static let list = CommandSpec(
    name: "outbox list", operands: [], summary: "list the stored requests, in order",
    notes: [
      "States: stored, attempting, delivered, dead-letter, expired, dropped.",
      "--limit lists one page. If more requests follow, the last line of standard error shows the --after option",
      "for the next page; in JSON its value is \"next\".",
    ],
    groups: [Group(title: "Selection", options: [.state, .onlyLane, .limit, .after, .only]), place],
    examples: [
      "errand outbox list --state dead-letter --limit 100", "errand outbox list --lane chat --output json",
    ])

  private static let show = CommandSpec(
    name: "outbox show", operands: ["ID"], summary: "show one request, and its response if it has one",
    groups: [place], examples: ["errand outbox show 3f2a"])

  private static let run = CommandSpec(
    name: "outbox run", operands: [], summary: "deliver stored requests, until control-C or SIGTERM",
    notes: [
      "It delivers requests as soon as any process stores them, and retries automatically. A signal stops it: it",
      "starts no more attempts, gives those in flight the time of --grace to end, and returns the rest to the",
      "store. A second signal ends it at once, also without loss. Several runs can share a store safely.",
      "",
      "--until-empty also waits for retries, for later times and for servers that refuse the credentials; --once",
      "does not, and suits cron. With either, the exit status is 7 if a request became a dead letter, 8 if one",
      "expired or was dropped, else 0; after a signal it is 143 (130 after control-C). Without either, the exit",
      "status after a signal is 0. With --once it is 6 if the database does not respond within 10 s.",
      "",
      "~/.config/errand/config gives each server its credentials: --bearer, -u, --netrc and secret fields of -H",
      "below [HOST] are added to its requests. From the lines above the first [HOST], errand outbox run takes the",
      "options of connections. A token in a file is read again for each attempt.",
      "",
      "--metrics serves the numbers of the outbox, and of the requests of this run, while the run lasts.",
    ],
    groups: [
      Group(title: "Delivery", options: [.untilEmpty, .once, .concurrency, .grace, .timeout, .metrics]),
      Group(
        title: "Header fields added to each attempt, and never stored", options: [.header, .bearer, .origin]),
      Group(title: "Connection", options: OptionSpec.ways), place,
    ],
    examples: [
      "errand outbox run --until-empty", "errand outbox run --metrics :9464",
      "errand outbox run --bearer @token --to https://api.example.com",
    ])

  private static let watch = CommandSpec(
    name: "outbox watch", operands: [], summary: "show changes of all processes live, until control-C",
    notes: [
      "On a terminal it shows a live table, the requests stored and delivered per second, and a bar for each of",
      "the last 40 seconds. Otherwise it prints a line for each change; with --output json, a JSON object.",
    ], groups: [place])

  private static let serve = CommandSpec(
    name: "outbox serve", operands: [], summary: "show the outbox on a page in a browser, until control-C",
    notes: [
      "It prints the page's URL. The URL contains a secret token, and only this machine can open the page. The page",
      "shows lanes, next attempts and dead letters, and has buttons to retry, drop, pause and resume.",
    ],
    groups: [Group(title: "Address", options: [.port]), place], examples: ["errand outbox serve --port 8090"])

  private static let stats = CommandSpec(
    name: "outbox stats", operands: [],
    summary: "count requests by state and lane, and list the servers on hold",
    groups: [place])

  private static let retry = CommandSpec(
    name: "outbox retry", operands: ["[ID ...]"],
    summary: "attempt waiting, expired and dead-letter requests at once",
    notes: [
      "A request that is being attempted is left alone. If its worker is gone or hangs, --force makes it available",
      "again. The interrupted attempt counts. If the worker completes it after all, the server may receive it twice.",
    ],
    groups: [Group(title: "Selection", options: [.everything, .force]), place],
    examples: [
      "errand outbox retry 3f2a 77c0", "errand outbox retry --all", "errand outbox retry --force 3f2a",
    ])

  private static let drop = CommandSpec(
    name: "outbox drop", operands: ["[ID ...]"], summary: "give up waiting, expired and dead-letter requests",
    notes: ["A request that is being attempted is left alone."],
    groups: [Group(title: "Selection", options: [.everything]), place], examples: ["errand outbox drop 3f2a"])

  private static let pause = CommandSpec(
    name: "outbox pause", operands: [], summary: "stop new attempts in every process, until resume",
    groups: [Group(title: "Selection", options: [.onlyLane]), place],
    examples: ["errand outbox pause --lane chat"])

  private static let resume = CommandSpec(
    name: "outbox resume", operands: [], summary: "allow attempts again after pause",
    groups: [Group(title: "Selection", options: [.onlyLane]), place])

  private static let export = CommandSpec(
    name: "outbox export", operands: ["[ID ...]"], summary: "print stored requests as JSON Lines",
    notes: [
      "By default it prints all stored, attempting and dead-letter requests, in order and with their bodies. They",
      "stay in the store. The output is not encrypted: keep the file safe.",
    ],
    groups: [
      Group(title: "Selection", options: [.state, .onlyLane]),
      Group(title: "Store", options: [.store, .bodiesFolder]),
    ],
    examples: [
      "errand outbox export > FILE",
      "errand outbox export --state dead-letter | gzip > dead-letters.jsonl.gz",
    ])

  private static let imports = CommandSpec(
    name: "outbox import", operands: ["FILE"], summary: "store exported requests",
    notes: [
      "FILE may be - for standard input. Requests keep their ID, Idempotency-Key and lane; dead letters are",
      "attempted again. A request whose ID the store already has is skipped, so importing twice is safe. If a line",
      "is invalid, the import stops there; the requests before it are stored.",
    ],
    groups: [place],
    examples: [
      "errand outbox import FILE", "ssh host errand outbox export | errand outbox import -",
      "errand outbox export | errand outbox import - --store postgres://db.example.com/app",
    ])

  private static let workers = CommandSpec(
    name: "outbox workers", operands: [], summary: "list the processes that deliver from a database",
    notes: ["A worker without a heartbeat counts as gone, and other workers take over its requests."],
    groups: [place],
    examples: ["errand outbox workers --store postgres://db.example.com/app"])

  private static let health = CommandSpec(
    name: "outbox health", operands: [], summary: "exit with 0 if requests are being delivered, else with 1",
    notes: [
      "It prints the reason in one line. It exits with 1 if the store cannot be read, if a database holds requests",
      "but has no live worker, if a request has waited longer than --oldest, or if an attempt has exceeded its lease",
      "or its worker's allowed silence by a minute. Then the worker is gone or hangs, and no other took over.",
    ],
    groups: [Group(title: "Limits", options: [.oldest]), place],
    examples: ["errand outbox health --store postgres://db.example.com/app --oldest 15m"])

  private static let migrate = CommandSpec(
    name: "outbox migrate", operands: [], summary: "create a database's tables, or bring them up to date",
    notes: [
      "A worker migrates automatically when it opens the database. If its role lacks the permission, run this",
      "first, with a role that has it. It leaves current tables and those of a newer version unchanged.",
    ],
    groups: [Group(title: "Mode", options: [.dryRun]), place],
    examples: ["errand outbox migrate --store postgres://owner@db.example.com/app --dry-run"])
}

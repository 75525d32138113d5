/// One command of the tool: its arguments, and the text of its help.
struct CommandSpec: Sendable {
  /// Options that help shows under one title.
  struct Group: Sendable {
    let title: String
    let options: [OptionSpec]
  }

  let name: String
  /// The operands after the name, as in `FILE URL`.
  let operands: [String]
  let summary: String
  var notes: [String] = []
  var groups: [Group] = []
  var examples: [String] = []

  /// The commands that may follow this one's name.
  var subcommands: [CommandSpec] = []

  var options: [OptionSpec] { groups.flatMap(\.options) + [.help] }

  /// - Parameter name: The full name: that of a subcommand includes its parent's, as in `outbox list`.
  static func named(_ name: String) -> CommandSpec? {
    (all + all.flatMap(\.subcommands)).first { $0.name == name }
  }
}

extension CommandSpec {
  static let all: [CommandSpec] =
    [
      get, head, delete, post, put, patch, send, download, upload, outbox, inspect, completion, manual,
      version,
      help,
    ]

  private static let asking = Group(title: "What is asked", options: [.header, .query])
  private static let identity = Group(
    title: "Who asks, and signatures", options: OptionSpec.credentials + OptionSpec.signatures)
  private static let body = Group(title: "The body", options: OptionSpec.bodies)
  private static let limits = Group(title: "Limits", options: OptionSpec.limits)
  private static let connection = Group(title: "The connection", options: OptionSpec.connection)
  private static let shown = Group(title: "What is shown", options: OptionSpec.shown)
  private static let arriving = Group(title: "If it must arrive", options: OptionSpec.arriving)

  private static let bodyNotes = [
    "-d DATA and -d - are sent as application/x-www-form-urlencoded, -d @FILE as the type that its name",
    "stands for; -H 'Content-Type: ...' overrides. Several -d DATA are joined with &. Bytes stay as they are.",
  ]

  private static let guaranteeNotes = [
    "With --guaranteed it survives this process; errand help outbox tells the rest."
  ]

  static let get = CommandSpec(
    name: "get", operands: ["URL"], summary: "get a URL and print its body",
    notes: ["The word get may be left out. A URL without a scheme is http for this machine, else https."],
    groups: [asking, identity, limits, connection, arriving, shown],
    examples: [
      "errand get https://example.com",
      "errand get https://api.example.com/search -q q='two words' -H 'Accept: application/json' -i",
      "errand get https://example.com/report.pdf -o report.pdf --retry 3",
      "errand get https://bucket.s3.eu-central-1.amazonaws.com/key --aws-sigv4 eu-central-1:s3",
      "errand get https://api.example.com/statistics --activity 'Adding up'",
    ])

  private static let head = CommandSpec(
    name: "head", operands: ["URL"], summary: "get the status and the fields only",
    notes: ["They are shown on standard error, like those of -i; --output json prints them as an object."],
    groups: [
      asking, identity, limits, connection,
      Group(title: "What is shown", options: [.include, .verbose, .activity, .format] + OptionSpec.watching),
    ],
    examples: ["errand head https://example.com"])

  private static let delete = CommandSpec(
    name: "delete", operands: ["URL"], summary: "delete what is at a URL",
    groups: [asking, identity, body, limits, connection, arriving, shown],
    examples: ["errand delete https://api.example.com/notes/7"])

  private static let post = withBody(
    "post", "send a body with POST",
    [
      "errand post https://api.example.com/notes --json '{\"title\": \"Milk\"}'",
      "errand post https://example.com/login --form name=ann --form word='a b'",
      "errand post https://example.com/photos -F title=Cat -F photo=@cat.jpg",
      "errand post https://api.example.com/orders --json @order.json --guaranteed --expires 7d",
      "tar cz folder | errand post https://example.com/backup -d - -H 'Content-Type: application/gzip'",
    ])
  private static let put = withBody(
    "put", "send a body with PUT", ["errand put https://api.example.com/notes/7 --json @note.json"])
  private static let patch = withBody(
    "patch", "send a body with PATCH",
    ["errand patch https://api.example.com/notes/7 --json '{\"done\": true}'"])

  private static func withBody(_ name: String, _ summary: String, _ examples: [String]) -> CommandSpec {
    CommandSpec(
      name: name, operands: ["URL"], summary: summary, notes: bodyNotes + guaranteeNotes,
      groups: [asking, identity, body, limits, connection, arriving, shown], examples: examples)
  }

  private static let send = CommandSpec(
    name: "send", operands: ["METHOD", "URL"], summary: "send with any method",
    notes: bodyNotes + guaranteeNotes, groups: [asking, identity, body, limits, connection, arriving, shown],
    examples: [
      "errand send PURGE https://cache.example.com/page", "errand send OPTIONS https://example.com -i",
    ])

  private static let download = CommandSpec(
    name: "download", operands: ["URL"], summary: "get a file, with a progress bar",
    notes: [
      "Without -o the file is named by the last part of the URL, in this folder, and never replaces one",
      "that is there. With -o it does. The file appears when it is whole; a failure leaves the old one.",
    ],
    groups: [
      asking, identity, limits, connection,
      Group(title: "The file", options: [.file, .resume]),
      Group(title: "What is shown", options: [.include, .verbose, .activity, .format] + OptionSpec.watching),
    ],
    examples: [
      "errand download https://example.com/film.mp4",
      "errand download https://example.com/film.mp4 -o holiday.mp4 --resume --retry 5",
    ])

  private static let upload = CommandSpec(
    name: "upload", operands: ["FILE", "URL"], summary: "send a file, with a progress bar",
    notes: ["FILE may be - for standard input. The response's body is printed."],
    groups: [
      asking, identity, Group(title: "The file", options: [.method, .compress]), limits, connection, arriving,
      shown,
    ],
    examples: ["errand upload film.mp4 https://example.com/films/7", "errand upload a.csv URL --method POST"])

  private static let inspect = CommandSpec(
    name: "inspect", operands: ["COMMAND ..."], summary: "show a command's calls on a page in a browser",
    notes: [
      "COMMAND is one of these, after --. Standard error says the URL of the page, with a token: only who has it",
      "may look. The page shows each attempt as it happens, and stays after the command until control-C.",
    ],
    groups: [Group(title: "Where", options: [.port])],
    examples: [
      "errand inspect -- get https://example.com --retry 3", "errand inspect -- outbox run --until-empty",
    ])

  private static let completion = CommandSpec(
    name: "completion", operands: ["bash|zsh|fish"], summary: "print a script that completes arguments",
    notes: ["Put it where the shell looks for such scripts, or read it at its start."],
    examples: [
      "errand completion bash > ~/.local/share/bash-completion/completions/errand",
      "source <(errand completion zsh)", "errand completion fish > ~/.config/fish/completions/errand.fish",
    ])

  private static let manual = CommandSpec(
    name: "man", operands: [], summary: "print the manual page, for man -l -",
    examples: ["errand man | man -l -"])

  private static let version = CommandSpec(name: "version", operands: [], summary: "print the version")

  private static let help = CommandSpec(
    name: "help", operands: ["[COMMAND]"], summary: "show help; errand help exit-codes lists those")
}

/// One command of the tool: its arguments and its help text.
struct CommandSpec: Sendable {
  /// Options that help shows under one title.
  struct Group: Sendable {
    let title: String
    let options: [OptionSpec]
  }

  let name: String
  /// The operands after the name, such as `FILE` and `URL`.
  let operands: [String]
  let summary: String
  var notes: [String] = []
  var groups: [Group] = []
  var examples: [String] = []

  /// The commands that may follow this one's name.
  var subcommands: [CommandSpec] = []

  var options: [OptionSpec] { groups.flatMap(\.options) + [.help] }

  /// Returns the command with a name, or nil if no command has it.
  /// - Parameter name: The full name; for a subcommand it includes the parent's, such as `outbox list`.
  static func named(_ name: String) -> CommandSpec? {
    (all + all.flatMap(\.subcommands)).first { $0.name == name }
  }
}

extension CommandSpec {
  static let all: [CommandSpec] =
    [
      request, get, head, delete, post, put, patch, send, download, upload, events, outbox, cache, inspect,
      completion,
      manual,
      version,
      help,
    ]

  private static let asking = Group(
    title: "Request", options: [.header, .query, .agent, .cookie, .referer, .cache])
  private static let identity = Group(
    title: "Authentication and signatures", options: OptionSpec.credentials + OptionSpec.signatures)
  private static let body = Group(title: "Body", options: OptionSpec.bodies)
  private static let limits = Group(title: "Limits", options: OptionSpec.limits)
  private static let connection = Group(title: "Connection", options: OptionSpec.connection)
  private static let shown = Group(title: "Output", options: OptionSpec.shown)
  private static let habits = Group(
    title: "Options of curl that ask for what errand does anyway", options: OptionSpec.habits)
  /// The output of a command that prints no body.
  private static let summarized = Group(
    title: "Output",
    options: [.include, .verbose, .activity, .format, .silent, .fail] + OptionSpec.watching)
  private static let arriving = Group(title: "Guaranteed delivery", options: OptionSpec.arriving)

  private static let bodyNotes = [
    "-d DATA and -d - are sent as application/x-www-form-urlencoded. For -d @FILE the file name decides the type;",
    "-H 'Content-Type: ...' overrides it. Several -d DATA are joined with &. All bytes are sent unchanged.",
  ]

  private static let itemNotes = [
    "An ITEM after the URL is X-Field:value, name==value for the query, name=value or name:=JSON for a JSON",
    "object, or name@file for a form with a file. With @ a value is that of a file: name=@file, name:=@file,",
    "X-Field:@file, name==@file.",
  ]

  private static let pipeNotes = [
    "POST, PUT and PATCH without a body send what is piped to the command. In a loop that reads its input, such",
    "as while read, add --ignore-stdin.",
  ]

  private static let guaranteeNotes = [
    "With --guaranteed the request survives the end of this process: see errand help outbox."
  ]

  /// The command that a command line without a command means.
  static let request = CommandSpec(
    name: "request", operands: ["URL", "[ITEM ...]"],
    summary: "send a GET, or a POST if there is a body; errand URL does the same",
    notes: [
      "A URL without a scheme uses http for this machine, and https otherwise; :3000/path is on this machine.",
      "Several URLs are got one after the other; all after the first need a scheme.",
    ] + itemNotes + bodyNotes + pipeNotes,
    groups: [
      Group(
        title: "Request",
        options: [.request, .headOnly, .header, .query, .asQuery, .agent, .cookie, .referer, .cache]),
      identity,
      Group(title: "Body", options: OptionSpec.bodies + [.dataBinary, .uploadFile]),
      Group(title: "Limits", options: OptionSpec.limits + [.maxTime]), connection, arriving,
      Group(title: "Output", options: OptionSpec.shown + [.remoteName, .parallel]),
      habits,
    ],
    examples: [
      "errand https://example.com", "errand :8080/notes title=Milk done:=false X-Team:blue",
      "errand -X PURGE https://cache.example.com/page",
      "errand -O -Z https://example.com/a.zip https://example.com/b.zip",
      "errand --unix-socket /var/run/docker.sock http://localhost/version",
      "errand -s -o /dev/null -w '%{http_code} %{time_total}\\n' https://example.com",
    ])

  static let get = CommandSpec(
    name: "get", operands: ["URL", "[ITEM ...]"], summary: "get a URL and print its body",
    notes: ["An ITEM after the URL is X-Field:value, or name==value for the query."],
    groups: [asking, identity, limits, connection, arriving, shown, habits],
    examples: [
      "errand get https://example.com",
      "errand get https://api.example.com/search -q q='two words' -H 'Accept: application/json' -i",
      "errand get https://example.com/report.pdf -o report.pdf --retry 3",
      "errand get https://bucket.s3.eu-central-1.amazonaws.com/key --aws-sigv4 eu-central-1:s3",
      "errand get https://api.example.com/statistics --activity 'Adding up'",
      "errand get https://example.com/news --cache ~/.cache/errand -v",
    ])

  private static let head = CommandSpec(
    name: "head", operands: ["URL", "[ITEM ...]"], summary: "get only the status and the header fields",
    notes: [
      "With --output json, they are printed as an object."
    ],
    groups: [
      asking, identity, limits, connection,
      summarized,
      habits,
    ],
    examples: ["errand head https://example.com"])

  private static let delete = CommandSpec(
    name: "delete", operands: ["URL", "[ITEM ...]"], summary: "send a DELETE request",
    groups: [asking, identity, body, limits, connection, arriving, shown, habits],
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
      name: name, operands: ["URL", "[ITEM ...]"], summary: summary,
      notes: itemNotes + bodyNotes + pipeNotes + guaranteeNotes,
      groups: [asking, identity, body, limits, connection, arriving, shown, habits], examples: examples)
  }

  private static let send = CommandSpec(
    name: "send", operands: ["METHOD", "URL", "[ITEM ...]"],
    summary: "send a request with any method; errand PURGE URL does the same",
    notes: itemNotes + bodyNotes + pipeNotes + guaranteeNotes,
    groups: [asking, identity, body, limits, connection, arriving, shown, habits],
    examples: [
      "errand send PURGE https://cache.example.com/page", "errand send OPTIONS https://example.com -i",
    ])

  private static let download = CommandSpec(
    name: "download", operands: ["URL"], summary: "download a file, with a progress bar",
    notes: [
      "By default the last part of the URL names the file, in the current folder, and an existing file is never",
      "replaced; -o FILE replaces one. The file appears once it is complete; a failure keeps the old file.",
      "With --resume, a file that is as long as the response, and not older, is complete; its content is not",
      "compared.",
    ],
    groups: [
      asking, identity, limits, connection,
      Group(title: "File", options: [.file, .resume]),
      summarized,
      habits,
    ],
    examples: [
      "errand download https://example.com/film.mp4",
      "errand download https://example.com/film.mp4 -o holiday.mp4 --resume --retry 5",
    ])

  private static let upload = CommandSpec(
    name: "upload", operands: ["FILE", "URL"], summary: "upload a file, with a progress bar",
    notes: [
      "FILE may be - for standard input. The response's body is printed. With --resume an interrupted upload",
      "continues where it stopped, also when the same command runs again: by Resumable Uploads for HTTP, or by",
      "tus 1.0 with --method POST. The upload's URL is kept in $XDG_STATE_HOME/errand/uploads, or else in",
      "~/.local/state/errand/uploads.",
    ],
    groups: [
      asking, identity,
      Group(title: "File", options: [.method, .compress, .resumeUpload, .tus, .abandon]), limits, connection,
      arriving, shown, habits,
    ],
    examples: [
      "errand upload film.mp4 https://example.com/films/7", "errand upload a.csv URL --method POST",
      "errand upload film.mp4 https://example.com/films --method POST --resume --retry 5",
    ])

  private static let events = CommandSpec(
    name: "events", operands: ["URL"], summary: "print the events of an event stream as they arrive",
    notes: [
      "Each event's data is printed with a line end. When the connection ends, the stream goes on after the last",
      "event, with a new connection. With a body the request is a POST, and ends with its first connection.",
    ],
    groups: [
      Group(title: "Request", options: [.header, .query, .agent, .cookie, .referer]),
      Group(title: "Authentication and signatures", options: OptionSpec.credentials + OptionSpec.signing),
      body,
      Group(title: "Events", options: [.lastID, .onceEvent]), limits, connection,
      Group(title: "Output", options: [.verbose, .format, .silent, .fail] + OptionSpec.watching),
      habits,
    ],
    examples: [
      "errand events https://example.com/news",
      "errand events https://example.com/news --last-id 41 --output json",
      "errand events https://api.example.com/chat --json @question.json --bearer @token",
    ])

  private static let cache = CommandSpec(
    name: "cache", operands: ["COMMAND"],
    summary: "show and remove the responses that --cache FOLDER has kept",
    examples: ["errand cache list ~/.cache/errand"],
    subcommands: [
      CommandSpec(
        name: "cache list", operands: ["FOLDER"], summary: "list the responses, the newest first",
        notes: ["FRESH is how long a response may still be used without asking its server."],
        groups: [Group(title: "Output", options: [.format])],
        examples: ["errand cache list ~/.cache/errand --output json"]),
      CommandSpec(
        name: "cache show", operands: ["FOLDER", "URL"],
        summary: "show the responses of a URL, without their bodies",
        groups: [Group(title: "Output", options: [.format])]),
      CommandSpec(
        name: "cache remove", operands: ["FOLDER", "URL"],
        summary: "remove the responses of a URL, of all users",
        groups: [Group(title: "Output", options: [.format])]),
      CommandSpec(
        name: "cache clear", operands: ["FOLDER"], summary: "remove all responses",
        groups: [Group(title: "Output", options: [.format])]),
    ])

  private static let inspect = CommandSpec(
    name: "inspect", operands: ["COMMAND ..."], summary: "show a command's requests on a page in a browser",
    notes: [
      "COMMAND is any other command of errand, after --. The page's URL, which contains a secret token, goes to",
      "standard error. The page shows each attempt live, and stays open after the command until control-C.",
    ],
    groups: [Group(title: "Address", options: [.port])],
    examples: [
      "errand inspect -- get https://example.com --retry 3", "errand inspect -- outbox run --until-empty",
    ])

  private static let completion = CommandSpec(
    name: "completion", operands: ["bash|zsh|fish"], summary: "print a script for the shell's completion",
    notes: ["Save it where the shell looks for completion scripts, or source it when the shell starts."],
    examples: [
      "errand completion bash > ~/.local/share/bash-completion/completions/errand",
      "source <(errand completion zsh)", "errand completion fish > ~/.config/fish/completions/errand.fish",
    ])

  private static let manual = CommandSpec(
    name: "man", operands: [], summary: "print the manual page in roff, for man -l -",
    examples: ["errand man | man -l -"])

  private static let version = CommandSpec(
    name: "version", operands: [], summary: "print the version",
    groups: [Group(title: "Output", options: [.versions])])

  private static let help = CommandSpec(
    name: "help", operands: ["[COMMAND]"], summary: "show help on a command, on exit-codes, or on errors")
}

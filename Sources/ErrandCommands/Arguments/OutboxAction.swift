import ErrandCore
import ErrandOutbox

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The subcommand of `errand outbox` to run, with its arguments.
struct OutboxAction: Sendable, Hashable {
  enum Task: Sendable, Hashable {
    case list(OutboxListing)
    case show(id: String)
    case run(OutboxRun)
    case watch
    case serve(port: Int)
    case stats
    /// Retries requests; with force also those that are being attempted.
    case retry(OutboxChoice, force: Bool)
    case drop(OutboxChoice)
    case pause(lane: String?)
    case resume(lane: String?)
    case export(OutboxListing, ids: [String])
    /// Imports the file at a path; nil for standard input.
    case `import`(path: String?)
    case workers
    /// Checks the outbox, which is unhealthy if a request has waited longer than `oldest`.
    case health(oldest: Duration?)
    case migrate(isDryRun: Bool)
  }

  var task: Task
  /// The folder of the outbox or the URL of its database, or nil for the default folder.
  var store: String?
  /// The separate folder of large bodies; nil for the store's folder.
  var bodies: String?
  var format = OutputFormat.plain
}

/// The stored requests that a command shows.
struct OutboxListing: Sendable, Hashable {
  var states: Set<OutboxState>?
  var lane: String?
  /// The ID or the sequence number after which the list begins; nil for the beginning.
  var after: String?
  /// The greatest number of requests; nil for all.
  var limit: Int?
  /// The only column that is printed; nil for the table.
  var column: Column?

  enum Column: String, Sendable, Hashable {
    case id, lane
  }
}

/// The stored requests that a command changes: beginnings or ends of IDs, or all requests.
enum OutboxChoice: Sendable, Hashable {
  case ids([String])
  case all
}

/// The options of `errand outbox run`.
struct OutboxRun: Sendable, Hashable {
  /// When a run ends without a signal.
  enum End: Sendable, Hashable {
    case never
    /// When all requests have ended, except paused and blocked ones. The run waits for retries and later times.
    case empty
    /// When no request is left that may be attempted now. Requests whose time is later stay stored.
    case idle
  }

  var end = End.never
  var concurrency: Int?
  /// How long attempts in flight may take to end after a signal.
  var grace = Duration.seconds(10)
  var timeout: Duration?
  /// Where metrics are served; nil if they are not.
  var metrics: MetricsAddress?
  var connection = ConnectionArguments()
  /// The header fields that are added at each attempt, and are not stored.
  var fields: [HTTPFields.Field] = []
  /// The origins that may receive these header fields; empty for all.
  var origins: Set<Origin> = []
  /// `--bearer`, for the same origins.
  var credentials = CredentialArguments()
  /// The file of options, whose credentials for each host are added, too.
  var file = ConfigFile()
}

extension OutboxAction {
  /// - Parameter name: The command's name without `outbox`.
  init(_ name: String, _ arguments: ScannedArguments, _ defaults: ConfigFile) throws(UsageError) {
    task = try Task(name, arguments, defaults)
    store = try ValueParser.path(arguments.last(.store), for: .store)
    bodies = try ValueParser.path(arguments.last(.bodiesFolder), for: .bodiesFolder)
    format = try OutputFormat(arguments)
  }
}

extension OutboxAction.Task {
  fileprivate init(_ name: String, _ arguments: ScannedArguments, _ defaults: ConfigFile) throws(UsageError) {
    switch name {
    case "list": self = .list(try OutboxListing(arguments))
    case "show": self = .show(id: arguments.operands[0])
    case "run":
      var run = try OutboxRun(arguments)
      run.file = defaults
      self = .run(run)
    case "watch": self = .watch
    case "serve": self = .serve(port: try ValueParser.port(arguments))
    case "stats": self = .stats
    case "retry":
      self = .retry(try OutboxChoice(arguments, of: name), force: arguments.has(.force))
    case "drop": self = .drop(try OutboxChoice(arguments, of: name))
    case "pause": self = .pause(lane: arguments.last(.onlyLane))
    case "resume": self = .resume(lane: arguments.last(.onlyLane))
    case "export": self = .export(try OutboxListing(arguments), ids: arguments.operands)
    case "import": self = .import(path: arguments.operands[0] == "-" ? nil : arguments.operands[0])
    case "workers": self = .workers
    case "health":
      let oldest = arguments.last(.oldest)
      self = .health(
        oldest: try oldest.map { text throws(UsageError) in try ValueParser.duration(text, for: .oldest) })
    case "migrate": self = .migrate(isDryRun: arguments.has(.dryRun))
    default: preconditionFailure("the table has no such command: \(name)")
    }
  }
}

extension OutboxListing {
  init(_ arguments: ScannedArguments) throws(UsageError) {
    for text in arguments.values(.state) {
      guard let state = OutboxState.allCases.first(where: { "\($0)" == text }) else {
        throw UsageError(
          "--state takes a state, not \(text.debugDescription)",
          hint: "The states are \(OutboxState.allCases.map { "\($0)" }.joined(separator: ", ")).")
      }
      states = (states ?? []).union([state])
    }
    lane = arguments.last(.onlyLane)
    if let text = arguments.last(.limit) { limit = try ValueParser.number(text, atLeast: 1, for: .limit) }
    after = arguments.last(.after)
    if let text = arguments.last(.only) {
      guard let column = Column(rawValue: text), !arguments.has(.format) else {
        throw UsageError("--only takes id or lane, and cannot be combined with --output json")
      }
      self.column = column
    }
    if after == "" { throw UsageError("--after is empty; it takes an ID or a sequence number") }
  }
}

extension OutboxChoice {
  init(_ arguments: ScannedArguments, of name: String) throws(UsageError) {
    let isAll = arguments.has(.everything)
    guard isAll == arguments.operands.isEmpty else {
      throw UsageError(
        isAll ? "--all cannot be combined with IDs" : "errand outbox \(name) needs an ID",
        hint: "errand outbox list shows the IDs. For all requests: errand outbox \(name) --all.")
    }
    self = isAll ? .all : .ids(arguments.operands)
  }
}

extension OutboxRun {
  init(_ arguments: ScannedArguments) throws(UsageError) {
    if arguments.has(.untilEmpty) { end = .empty }
    if arguments.has(.once) {
      guard end == .never else { throw UsageError("--once cannot be combined with --until-empty") }
      end = .idle
    }
    if let text = arguments.last(.concurrency) {
      concurrency = try ValueParser.number(text, atLeast: 1, for: .concurrency)
    }
    if let text = arguments.last(.grace) { grace = try ValueParser.duration(text, for: .grace) }
    if let text = arguments.last(.timeout) { timeout = try ValueParser.duration(text, for: .timeout) }
    if let text = arguments.last(.metrics) { metrics = try MetricsAddress(text) }
    connection = try ConnectionArguments(arguments)
    for text in arguments.values(.header) { fields.append(try ValueParser.field(text)) }
    for text in arguments.values(.origin) {
      guard let origin = URL(string: ValueParser.url(text)).flatMap(Origin.init) else {
        throw UsageError(
          "--to takes a URL, not \(text.quotedWithoutSecrets)", hint: "For example: https://example.com.")
      }
      origins.insert(origin)
    }
    if origins.isEmpty, let secret = fields.first(where: Secrets.standard.covers) {
      throw UsageError(
        "-H '\(secret.name): ...' is a secret, and errand would send it to the server of every stored request",
        hint: "Name the servers that may receive it: --to https://api.example.com.")
    }
    credentials = try CredentialArguments(arguments)
    try credentials.check(fields)
    if origins.isEmpty, credentials.scheme != nil {
      throw UsageError(
        "--bearer is a secret, and errand would send it to the server of every stored request",
        hint: "Name the servers that may receive it: --to https://api.example.com.")
    }
    if !origins.isEmpty, fields.isEmpty, credentials.scheme == nil {
      throw UsageError(
        "--to limits where the fields of -H and the token of --bearer are sent, but neither was given")
    }
  }
}

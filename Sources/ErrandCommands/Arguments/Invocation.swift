import ErrandCore

/// A parsed command line: the command to run, with its arguments.
enum Invocation: Sendable, Hashable {
  enum Help: Sendable, Hashable {
    case overview
    case command(String)
    case exitCodes
    case errors
  }

  case transfer(Transfer)
  /// Several requests that differ in their URLs.
  case transfers([Transfer], atOnce: Bool)
  case outbox(OutboxAction)
  case cache(CacheAction)
  case events(EventsAction)
  /// Runs the command with these arguments and shows its calls on a page.
  case inspect(port: Int, arguments: [String])
  case completion(CompletionShell)
  case manual
  /// - Parameter isLong: True to print the versions of the libraries, too.
  case version(isLong: Bool)
  case help(Help)

  /// - Parameter defaults: The options of the user's file.
  init(_ arguments: [String], defaults: ConfigFile = ConfigFile()) throws(UsageError) {
    guard let first = arguments.first else {
      throw UsageError(
        "no command was given", hint: "errand help lists the commands. To begin: errand get URL")
    }
    let name = try ArgumentBytes.checked(first, "the command")
    switch name {
    case "--version", "-V":
      self = .version(isLong: arguments.dropFirst().contains { ["-v", "--verbose"].contains($0) })
    case "--help", "-h": self = .help(.overview)
    default:
      guard let command = CommandSpec.all.first(where: { $0.name == name }) else {
        if Self.isMethod(name) {
          try self.init(["-X"] + arguments, defaults: defaults)
          return
        }
        guard name.hasPrefix("-") || ValueParser.isURL(name) else { throw Self.unknown(name) }
        let scanned = try ScannedArguments(arguments, for: .request)
        // Options before the command, as in `errand -v get URL`.
        if let place = scanned.firstOperand, CommandSpec.all.contains(where: { $0.name == arguments[place] })
        {
          var arguments = arguments
          arguments.insert(arguments.remove(at: place), at: 0)
          try self.init(arguments, defaults: defaults)
        } else if scanned.has(.help) {
          self = .help(.overview)
        } else {
          try self.init(.request, scanned, defaults)
        }
        return
      }
      let rest = arguments.dropFirst()
      if let next = rest.first, !next.hasPrefix("-"), !command.subcommands.isEmpty {
        let subcommand = try Self.subcommand(next, of: command)
        try self.init(subcommand, ScannedArguments(rest.dropFirst(), for: subcommand), defaults)
      } else {
        try self.init(command, ScannedArguments(rest, for: command), defaults)
      }
    }
  }

  /// Parses a command line. An error of the options in the user's file names the file.
  static func parsed(_ arguments: [String], _ defaults: ConfigFile) throws(UsageError) -> Invocation {
    do {
      return try Invocation(arguments, defaults: defaults)
    } catch {
      guard let path = defaults.path, (try? Invocation(arguments)) != nil else { throw error }
      throw UsageError("\(path): \(error.message)", hint: error.hint)
    }
  }

  /// Returns true for the name of a method in capitals, as in `errand PURGE URL`.
  private static func isMethod(_ name: String) -> Bool {
    name.utf8.count > 2 && name.utf8.allSatisfy { 65...90 ~= $0 || $0 == UInt8(ascii: "-") }
      && !name.hasPrefix("-")
  }

  private static func subcommand(
    _ name: String, of command: CommandSpec
  ) throws(UsageError) -> CommandSpec {
    if let found = command.subcommands.first(where: { $0.name == "\(command.name) \(name)" }) { return found }
    let name = try ArgumentBytes.checked(name, "the command of errand \(command.name)")
    let names = command.subcommands.map { $0.name.dropFirst(command.name.count + 1) }.map(String.init)
    throw UsageError(
      "errand \(command.name) has no command \(name.quotedWithoutSecrets)",
      hint: Spelling.nearest(to: name, in: names).map { "Did you mean errand \(command.name) \($0)?" }
        ?? "errand help \(command.name) lists its commands.")
  }

  private init(
    _ command: CommandSpec, _ scanned: ScannedArguments, _ defaults: ConfigFile
  ) throws(UsageError) {
    var arguments = scanned
    // The operands of `inspect` are another command line, whose option values may be bytes.
    if command.name != "inspect" { try arguments.checkOperands() }
    if arguments.has(.help) {
      self = .help(.command(command.name))
      return
    }
    if command.name == "help" {
      self = .help(try Self.topic(arguments.operands))
      return
    }
    try Self.check(arguments.operands, command)
    if command.name == "request" {
      self = try Self.request(arguments, defaults)
      return
    }
    if let place = command.operands.firstIndex(of: "URL"), arguments.accepts(.header) {
      arguments.takeDefaults(defaults.options(for: arguments.operands[place]))
    }
    if command.name == "outbox run" { arguments.takeDefaults(defaults.connectionOptions) }
    let operands = arguments.operands
    switch command.name {
    case let name where name.hasPrefix("outbox "):
      self = .outbox(try OutboxAction(String(name.dropFirst("outbox ".count)), arguments, defaults))
    case let name where name.hasPrefix("cache "):
      self = .cache(try CacheAction(String(name.dropFirst("cache ".count)), arguments))
    case "inspect": self = try Self.inspect(arguments)
    case "man": self = .manual
    case "completion":
      guard let shell = CompletionShell(rawValue: operands[0]) else {
        throw UsageError(
          "errand has no completion script for \(operands[0].quotedWithoutSecrets)",
          hint: "It has scripts for bash, zsh and fish.")
      }
      self = .completion(shell)
    case "version": self = .version(isLong: arguments.has(.versions))
    case "send":
      guard ASCII.isToken(operands[0]) else {
        throw UsageError(
          "\(operands[0].quotedWithoutSecrets) is not a valid HTTP method",
          hint: "For example: errand send PURGE URL.")
      }
      self = .transfer(try Transfer(arguments, method: HTTPMethod(operands[0]), url: operands[1]))
    case "events": self = .events(try EventsAction(arguments))
    case "download": self = .transfer(try Self.download(arguments))
    case "upload": self = .transfer(try Self.upload(arguments))
    default:
      self = .transfer(try Transfer(arguments, method: HTTPMethod(name: command.name), url: operands[0]))
    }
  }

  private static func request(
    _ arguments: ScannedArguments, _ defaults: ConfigFile
  ) throws(UsageError) -> Invocation {
    var arguments = arguments
    let urls = [arguments.operands[0]] + arguments.takeURLs(after: 1)
    var transfers: [Transfer] = []
    var atOnce = false
    for url in urls {
      // The default options of one host are not for another one.
      var arguments = arguments
      arguments.takeDefaults(defaults.options(for: url))
      let method = arguments.last(.request)
      if let method, !ASCII.isToken(method) {
        throw UsageError("\(method.quotedWithoutSecrets) is not a valid HTTP method")
      }
      transfers.append(try Transfer(arguments, method: method.map { HTTPMethod($0) }, url: url))
      atOnce = atOnce || arguments.has(.parallel)
    }
    if urls.count == 1 { return .transfer(transfers[0]) }
    for transfer in transfers {
      if case .standardInput = transfer.body {
        throw UsageError("standard input can be read only once, so it is the body for one URL")
      }
      if transfer.guarantee != nil { throw UsageError("--guaranteed takes one URL") }
      if case .file = transfer.target {
        throw UsageError("-o takes one URL", hint: "To write each body to its own file: -O.")
      }
      if atOnce, transfer.target == .standardOutput {
        throw UsageError(
          "--parallel would mix the bodies on standard output", hint: "To write each to its own file: add -O."
        )
      }
    }
    return .transfers(transfers, atOnce: atOnce)
  }

  private static func inspect(_ arguments: ScannedArguments) throws(UsageError) -> Invocation {
    var command = arguments.operands
    if command.first?.split(separator: "/").last == "errand" { command.removeFirst() }
    // Parsing the inner command now reports its mistakes before the page is served.
    if case .inspect = try Invocation(command) {
      throw UsageError(
        "errand inspect cannot inspect itself", hint: "For example: errand inspect -- get URL.")
    }
    return .inspect(port: try ValueParser.port(arguments), arguments: command)
  }

  private static func download(_ arguments: ScannedArguments) throws(UsageError) -> Transfer {
    var transfer = try Transfer(arguments, method: .get, url: arguments.operands[0])
    if !arguments.has(.file) { transfer.target = .fileNamedByURL }
    if transfer.target == .standardOutput {
      throw UsageError(
        "errand download cannot write to standard output", hint: "To print the body: errand get URL.")
    }
    transfer.showsProgress = true
    return transfer
  }

  private static func upload(_ arguments: ScannedArguments) throws(UsageError) -> Transfer {
    let name = arguments.last(.method) ?? "PUT"
    guard ASCII.isToken(name) else {
      throw UsageError("\(name.quotedWithoutSecrets) is not a valid HTTP method")
    }
    var transfer = try Transfer(arguments, method: HTTPMethod(name), url: arguments.operands[1])
    let file = arguments.operands[0]
    transfer.body =
      file == "-"
      ? .standardInput(contentType: "application/octet-stream") : .file(path: file, contentType: nil)
    transfer.showsProgress = true
    transfer.upload = try Transfer.ResumedUpload(arguments)
    return transfer
  }

  private static func check(_ operands: [String], _ command: CommandSpec) throws(UsageError) {
    // An operand in brackets is optional; one that ends in dots may be repeated.
    let wanted = command.operands.filter { !$0.hasPrefix("[") }
    let most = command.operands.contains { $0.contains("...") } ? Int.max : command.operands.count
    let usage = "Usage: errand \(([command.name] + command.operands).joined(separator: " "))"
    if operands.count < wanted.count {
      throw UsageError("errand \(command.name) needs \(wanted[operands.count])", hint: usage)
    }
    if operands.count > most {
      throw UsageError("unexpected argument \(operands[most].quotedWithoutSecrets)", hint: usage)
    }
  }

  private static func topic(_ operands: [String]) throws(UsageError) -> Help {
    guard !operands.isEmpty else { return .overview }
    let topic = operands.joined(separator: " ")
    if topic == "exit-codes" { return .exitCodes }
    if topic == "errors" { return .errors }
    guard CommandSpec.named(topic) != nil else {
      let names = (CommandSpec.all + CommandSpec.all.flatMap(\.subcommands)).map(\.name)
      let near = Spelling.nearest(to: topic, in: names + ["exit-codes", "errors"])
      throw UsageError(
        "errand has no help on \(topic.quotedWithoutSecrets)",
        hint: near.map { "Did you mean errand help \($0)?" } ?? "errand help lists the commands.")
    }
    return .command(topic)
  }

  private static func unknown(_ name: String) -> UsageError {
    let hint: String
    hint =
      Spelling.nearest(to: name, in: CommandSpec.all.map(\.name)).map { "Did you mean errand \($0)?" }
      ?? "errand help lists the commands. errand send METHOD URL sends any method."
    return UsageError("errand has no command \(name.quotedWithoutSecrets)", hint: hint)
  }
}

extension HTTPMethod {
  /// Returns the method that a command is named after.
  fileprivate init(name: String) { self.init(name.uppercased()) }
}

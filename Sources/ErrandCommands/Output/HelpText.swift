import ErrandCore

/// Generates the help texts from the tables that also parse the arguments.
enum HelpText {
  static func text(_ topic: Invocation.Help) -> String {
    switch topic {
    case .overview: overview
    case .exitCodes: exitCodes
    case .errors: errors
    case .command(let name): CommandSpec.named(name).map(command) ?? overview
    }
  }

  private static var overview: String {
    let commands = CommandSpec.all.map(row)
    return """
      errand \(ErrandVersion.current): HTTP requests that arrive

      Usage: errand COMMAND [options]
             errand [options] URL [ITEM ...]

      \(table(commands))

      errand follows redirects. The body goes to standard output, everything else to standard error.

      Examples:
        errand get https://example.com
        errand :8080/status -v
        errand -X PURGE https://cache.example.com/page
        errand https://api.example.com/notes title=Milk done:=false
        errand post https://api.example.com/notes --json '{"title": "Milk"}'
        errand download https://example.com/film.mp4 --resume

      errand help COMMAND explains a command and its options. errand help exit-codes lists the exit codes.
      errand help errors lists the codes of errors, with what to do.

      """
  }

  private static func row(_ command: CommandSpec) -> (String, String) {
    (([command.name] + command.operands).joined(separator: " "), command.summary)
  }

  private static var exitCodes: String {
    let codes = ExitCode.allCases.map { (String($0.rawValue), $0.meaning) }
    return """
      Exit codes of errand:

      \(table(codes))

      If the reader of standard output closes it, as head does, errand ends silently by SIGPIPE.

      """
  }

  private static var errors: String {
    let blocks = [("Requests", ErrorGuide.requests), ("The outbox", ErrorGuide.outboxes)].map {
      title, guides in
      "\(title):\n\n"
        + guides.map { "  \($0.code)\n      \($0.cause)\n      \($0.cure)" }.joined(separator: "\n")
    }
    return blocks.joined(separator: "\n\n") + "\n"
  }

  private static func command(_ command: CommandSpec) -> String {
    var blocks = ["errand \(command.name): \(command.summary)"]
    let options = command.groups.isEmpty ? [] : ["[options]"]
    blocks.append("Usage: errand " + ([command.name] + command.operands + options).joined(separator: " "))
    if !command.notes.isEmpty { blocks.append(command.notes.joined(separator: "\n")) }
    if !command.subcommands.isEmpty {
      blocks.append("Commands:\n" + table(command.subcommands.map(row)))
    }
    let width = command.options.map { label($0).count }.max() ?? 0
    for group in command.groups {
      blocks.append("\(group.title):\n" + table(group.options.map { (label($0), $0.help) }, width: width))
    }
    if !command.examples.isEmpty {
      blocks.append("Examples:\n" + command.examples.map { "  \($0)" }.joined(separator: "\n"))
    }
    return blocks.joined(separator: "\n\n") + "\n"
  }

  private static func label(_ option: OptionSpec) -> String {
    let names = option.names.reversed()
    let text = (option.short == nil ? "    " : "") + names.joined(separator: ", ")
    return option.placeholder.map { "\(text) \($0)" } ?? text
  }

  private static func table(_ rows: [(String, String)], width: Int? = nil) -> String {
    TwoColumns.lines(rows, width: width).map { "  \($0)" }.joined(separator: "\n")
  }
}

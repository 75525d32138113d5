import ErrandCore

/// Generates the man page errand(1) from the table of commands.
enum ManPage {
  static var text: String {
    var lines = [
      ".TH ERRAND 1 \"\" \"errand \(ErrandVersion.current)\" \"User Commands\"",
      ".SH NAME", "errand \\- HTTP requests that arrive",
      ".SH SYNOPSIS", ".B errand", ".I COMMAND", "[options]", ".br", ".B errand", "[options]", ".I URL",
      "[ITEM ...]",
      ".SH DESCRIPTION",
      escaped(
        "errand sends HTTP requests and follows redirects. The body goes to standard output, everything else "
          + "to standard error. Without a command, errand sends a request as errand request does."),
      ".SH COMMANDS",
    ]
    for command in CommandSpec.all {
      lines += describe(command)
      for subcommand in command.subcommands { lines += describe(subcommand) }
    }
    lines.append(".SH EXIT STATUS")
    for code in ExitCode.allCases { lines += [".TP", ".B \(code.rawValue)", escaped(code.meaning)] }
    lines += [
      ".SH ENVIRONMENT",
      ".TP", ".B ERRAND_LOG",
      escaped("info writes a line for each call to standard error; debug also writes one for each step."),
      ".TP", ".B NO_COLOR", "If this is not empty, JSON is shown without colours.",
      ".TP", ".B ERRAND_CONFIG",
      escaped(
        "The file with default options, instead of ~/.config/errand/config. If it is empty, there are none."),
      ".TP", ".B NETRC", escaped("The file that --netrc reads instead of ~/.netrc."),
    ]
    lines += [
      ".SH FILES", ".TP", ".B ~/.config/errand/config",
      escaped(
        "Options for all requests, one or several on a line, as on the command line. [api.example.com] begins those "
          + "for a host, and [*.example.com] those for the names below it. # begins a comment. The command line "
          + "counts more."),
    ]
    return lines.joined(separator: "\n") + "\n"
  }

  private static func describe(_ command: CommandSpec) -> [String] {
    let usage = ([command.name] + command.operands).joined(separator: " ")
    var lines = [
      ".SS \"\(escaped("errand \(usage)").replacing("\"", with: "\\(dq"))\"", sentence(command.summary),
    ]
    if !command.notes.isEmpty { lines += [".PP", escaped(command.notes.joined(separator: " "))] }
    for group in command.groups {
      lines += [".PP", escaped(group.title) + ":"]
      for option in group.options {
        let names = option.names.reversed()
        let value = option.placeholder.map { " \\fI\(escaped($0))\\fR" } ?? ""
        lines += [".TP", "\\fB\(escaped(names.joined(separator: ", ")))\\fR\(value)", escaped(option.help)]
      }
    }
    if !command.examples.isEmpty {
      lines += [".PP", "Examples:", ".PP", ".nf", ".RS"] + command.examples.map(escaped) + [".RE", ".fi"]
    }
    return lines
  }

  private static func sentence(_ text: String) -> String {
    escaped(text.prefix(1).uppercased() + text.dropFirst() + ".")
  }

  /// Returns the text escaped, so that roff finds no request, escape or hyphen in it.
  private static func escaped(_ text: String) -> String {
    var escaped = text.replacing("\\", with: "\\e").replacing("-", with: "\\-")
    if escaped.hasPrefix(".") || escaped.hasPrefix("'") { escaped = "\\&" + escaped }
    return escaped
  }
}

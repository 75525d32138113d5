/// The subcommand of `errand cache` to run, with its arguments.
struct CacheAction: Sendable, Hashable {
  enum Task: Sendable, Hashable {
    case list
    case show(url: String)
    case remove(url: String)
    case clear
  }

  var task: Task
  var folder: String
  var format = OutputFormat.plain

  /// - Parameter name: The command's name without `cache`.
  init(_ name: String, _ arguments: ScannedArguments) throws(UsageError) {
    let operands = arguments.operands
    folder = operands[0]
    if folder.isEmpty { throw UsageError("errand cache \(name) needs a folder") }
    task =
      switch name {
      case "list": .list
      case "show": .show(url: ValueParser.url(operands[1]))
      case "remove": .remove(url: ValueParser.url(operands[1]))
      default: .clear
      }
    format = try OutputFormat(arguments)
  }
}

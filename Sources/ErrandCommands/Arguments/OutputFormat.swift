/// The format of a command's output.
enum OutputFormat: Sendable, Hashable {
  case plain
  case json

  init(_ arguments: ScannedArguments) throws(UsageError) {
    guard let text = arguments.last(.format) else {
      self = .plain
      return
    }
    guard text == "json" else {
      throw UsageError(
        "--output takes json, not \(text.debugDescription)",
        hint: arguments.accepts(.file) ? "To write the body to a file: -o FILE." : nil)
    }
    self = .json
  }
}

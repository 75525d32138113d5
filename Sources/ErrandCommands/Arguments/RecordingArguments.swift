/// The files in which a command records its calls.
struct RecordingArguments: Sendable, Hashable {
  var har: String?
  var trace: String?

  init() {}

  init(_ arguments: ScannedArguments) throws(UsageError) {
    har = try Self.file(.har, arguments)
    trace = try Self.file(.trace, arguments)
  }

  private static func file(
    _ option: OptionSpec, _ arguments: ScannedArguments
  ) throws(UsageError) -> String? {
    let path = try ValueParser.path(arguments.last(option), for: option)
    if path == "-" {
      throw UsageError(
        "\(option.name) needs a file, because the response goes to standard output",
        hint: "Name a file: \(option.name) FILE.")
    }
    return path
  }
}

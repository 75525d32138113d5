/// The files in which a command records its calls.
struct RecordingArguments: Sendable, Hashable {
  var har: String?
  var trace: String?

  init() {}

  init(_ arguments: ScannedArguments) throws(UsageError) {
    har = try ValueParser.path(arguments.last(.har), for: .har)
    trace = try ValueParser.path(arguments.last(.trace), for: .trace)
  }
}

import ErrandCore

/// The two ways out: bodies to standard output, everything else to standard error.
struct Console: Sendable {
  let output: Outlet
  let error: Outlet

  static let standard = Console(output: .standardOutput, error: .standardError)

  /// A line on standard error. Whatever a server put into it is harmless. That nobody reads it is no failure.
  func say(_ line: String) {
    try? error.write(ControlEscaper.line(line) + "\n")
  }

  func say(_ failure: CommandFailure) {
    say("errand: \(failure.message)")
    if let hint = failure.hint { say("  \(hint)") }
  }

  /// One JSON object on standard output.
  func show(_ value: some Encodable) throws(Outlet.Failure) {
    try output.write(JSONText.text(value, isPretty: output.isTerminal) + "\n")
  }

  /// The status and the fields.
  func say(_ status: Status, _ fields: HTTPFields, version: HTTPVersion?) {
    say(version.map { "\($0) \(status)" } ?? "\(status)")
    for field in fields { say("\(field.name): \(field.value)") }
    say("")
  }
}

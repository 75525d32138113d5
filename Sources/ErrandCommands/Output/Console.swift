import ErrandCore

/// Standard output for bodies, and standard error for everything else.
struct Console: Sendable {
  let output: Outlet
  let error: Outlet

  static let standard = Console(output: .standardOutput, error: .standardError)

  /// Writes a line to standard error, with control characters escaped. Ignores that writing fails.
  func say(_ line: String) {
    try? error.write(ControlEscaper.line(line) + "\n")
  }

  func say(_ failure: CommandFailure) {
    say("errand: \(failure.message)")
    if let hint = failure.hint { say("  \(hint)") }
  }

  /// Writes one JSON object to standard output.
  func show(_ value: some Encodable) throws(Outlet.Failure) {
    try output.write(JSONText.text(value, isPretty: output.isTerminal) + "\n")
  }

  /// Writes the status and the header fields to standard error.
  func say(_ status: Status, _ fields: HTTPFields, version: HTTPVersion?) {
    say(version.map { "\($0) \(status)" } ?? "\(status)")
    for field in fields { say("\(field.name): \(field.value)") }
    say("")
  }
}

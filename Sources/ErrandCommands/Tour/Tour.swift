import ErrandCore

/// Shows Errand's features against a server inside the process that fails on purpose. Each step checks
/// itself.
struct Tour {
  let console: Console
  var steps = TourStep.all

  func run() async throws -> ExitCode {
    let started = ContinuousClock.now
    try console.output.write(
      "Errand \(Version.current), against a server in this process that misbehaves on purpose.\n")
    var broken: [String] = []
    for (index, step) in steps.enumerated() {
      try console.output.write("\n\(index + 1). \(step.title)\n")
      let notes = await step.perform()
      try Task.checkCancellation()
      for note in notes { try console.output.write(note.line + "\n") }
      if notes.contains(where: \.isBroken) { broken.append("\(index + 1). \(step.title)") }
    }
    try console.output.write("\n" + summary(broken, started.duration(to: .now)) + "\n")
    return broken.isEmpty ? .success : .refused
  }

  private func summary(_ broken: [String], _ time: Duration) -> String {
    if broken.isEmpty { return "All \(steps.count) steps went as promised, in \(Amounts.time(time))." }
    return "Not as promised:\n" + broken.map { "  \($0)" }.joined(separator: "\n")
  }
}

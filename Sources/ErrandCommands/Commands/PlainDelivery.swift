import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Writes the body as it is, and on standard error what the options ask for.
struct PlainDelivery: Delivery {
  private let transfer: Transfer
  private let console: Console
  private let line: (any LiveLine)?

  init(_ transfer: Transfer, _ console: Console, _ line: (any LiveLine)?) {
    self.transfer = transfer
    self.console = console
    self.line = line
  }

  func deliver(_ response: Response, to outlet: Outlet) async throws {
    if transfer.showsHead {
      line?.clear()
      console.say(response.status, response.fields, version: response.timing.httpVersion)
    }
    var writer = BodyWriter(outlet)
    for try await chunk in response.chunks {
      // The body and the progress line must not share a terminal's line.
      if outlet.isTerminal { line?.end() }
      try writer.write(chunk)
    }
    try writer.finish()
    showTiming(timing(response))
    try check(response, transfer)
  }

  func delivered(_ response: Response, in path: String) throws {
    if transfer.showsHead {
      console.say(response.status, response.fields, version: response.timing.httpVersion)
    }
    showTiming(response.timing)
    if console.error.isTerminal {
      let timing = response.timing
      console.say(
        "\(path): \(Amounts.bytes(timing.bytesReceived)) in \(Amounts.time(timing.total))")
    }
  }

  func fail(_ failure: CommandFailure) async throws {
    if let error = failure.cause, let status = error.status, let prefix = error.bodyPrefix,
      error.code == .rejected
    {
      if transfer.showsHead {
        console.say(status, error.fields?.masked ?? [:], version: error.timing?.httpVersion)
      }
      var writer = BodyWriter(console.output)
      try writer.write(prefix)
      try writer.finish()
      if let timing = error.timing { showTiming(timing) }
      if prefix.count >= 64 << 10 { console.say("errand: the body is cut after \(prefix.count) bytes") }
    }
    // The user who pressed control-C needs no message.
    if failure.exit != .interrupted { console.say(failure) }
  }

  private func showTiming(_ timing: Timing) {
    guard transfer.isVerbose else { return }
    line?.clear()
    for line in TimingText.lines(timing) { console.say(line) }
  }
}

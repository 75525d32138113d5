import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Shows a response, or a failure, to the user.
protocol Delivery: Sendable {
  /// Shows a response while its body arrives. Throws at the end if the status is not 2xx.
  func deliver(_ response: Response, to output: OutputDescriptor) async throws
  /// Reports a response whose body was written to a file.
  func delivered(_ response: Response, in path: String) throws
  /// Reports a failure.
  /// - Parameter output: The output for the body of a rejected response.
  func fail(_ failure: CommandFailure, bodyTo output: OutputDescriptor) async throws
}

extension Delivery {
  /// Returns true if the status is not 2xx, nor the 3xx that --no-redirects asks for.
  func isRejected(_ response: Response, _ transfer: Transfer) -> Bool {
    !response.status.isSuccess && !(transfer.redirects == 0 && response.status.isRedirect)
  }

  /// Throws if the status is not 2xx.
  func check(_ response: Response, _ transfer: Transfer) throws {
    guard isRejected(response, transfer) else { return }
    let url = Request.get(response.url).description.dropFirst("GET ".count)
    throw CommandFailure.rejected(response.status, "\(transfer.method) \(url)")
  }

  /// Returns the timing of a response; after the end of its stream, that of the whole transfer.
  func timing(_ response: Response) -> Timing {
    response.chunks.timing ?? response.timing
  }
}

/// Writes the body to the output, and the details that the options ask for to standard error.
final class PlainDelivery: Delivery {
  private let transfer: Transfer
  private let console: Console
  private let line: (any LiveLine)?
  private let watch: CallWatch
  private let hasWrittenOut = Locked(false)

  init(_ transfer: Transfer, _ console: Console, _ line: (any LiveLine)?, _ watch: CallWatch) {
    self.transfer = transfer
    self.console = console
    self.line = line
    self.watch = watch
  }

  func deliver(_ response: Response, to output: OutputDescriptor) async throws {
    try showHead(response.status, response.fields, response.timing)
    if !(transfer.hidesErrorBody && isRejected(response, transfer)) {
      let showsBody = transfer.parts?.contains(.responseBody) ?? true
      var writer = BodyWriter(output, laysOut: transfer.isRaw ? nil : response.fields["Content-Type"])
      for try await chunk in response.chunks where showsBody {
        // The body and the progress line must not share a terminal's line.
        if output.isTerminal { line?.end() }
        try writer.write(chunk)
      }
      try writer.finish()
    }
    showCacheStatus(response)
    showTiming(timing(response))
    let outcome = Result { try check(response, transfer) }
    let exit = if case .failure = outcome { ExitCode.rejected } else { ExitCode.success }
    try writeOut(response, timing(response), exit)
    try outcome.get()
  }

  func delivered(_ response: Response, in path: String) throws {
    try showHead(response.status, response.fields, response.timing)
    showCacheStatus(response)
    showTiming(response.timing)
    try writeOut(response, response.timing, .success)
    guard response.file != nil else {
      return console.say(
        "errand: the response has no content (\(response.status)), so \(path) was not changed")
    }
    if console.error.isTerminal, !transfer.isSilent {
      let timing = response.timing
      console.say(
        "\(path): \(Amounts.bytes(timing.bytesReceived)) in \(Amounts.time(timing.total))")
    }
  }

  func fail(_ failure: CommandFailure, bodyTo output: OutputDescriptor) async throws {
    if let error = failure.cause, let status = error.status, let prefix = error.bodyPrefix,
      error.code == .rejected
    {
      try showHead(status, error.fields?.masked ?? [:], error.timing)
      if !transfer.hidesErrorBody {
        var writer = BodyWriter(output)
        try writer.write(prefix)
        try writer.finish()
        if prefix.count >= 64 << 10 { console.say("errand: the body is cut after \(prefix.count) bytes") }
      }
      if let timing = error.timing { showTiming(timing) }
    }
    // After control-C the user needs no message.
    if failure.exit != .interrupted { console.say(failure) }
    let error = failure.cause
    try writeOut(
      WriteOut.Values(
        transfer: transfer, status: error?.status, fields: error?.fields ?? [:],
        url: error?.url ?? transfer.url, timing: error?.timing, exit: failure.exit, message: failure.message))
  }

  private func writeOut(_ response: Response, _ timing: Timing, _ exit: ExitCode) throws {
    try writeOut(
      WriteOut.Values(
        transfer: transfer, status: response.status, fields: response.fields,
        url: response.url.absoluteString, timing: timing, exit: exit))
  }

  /// Prints the text of `-w`, once: a response that is rejected is also a failure.
  private func writeOut(_ values: WriteOut.Values) throws {
    guard let format = transfer.writeOut,
      !hasWrittenOut.withLock({ old in
        defer { old = true }
        return old
      })
    else { return }
    try console.output.write(format.text(values, escapes: console.output.isTerminal))
  }

  /// Shows the head of a response as the options ask: without secrets on standard error, whole on standard output.
  private func showHead(_ status: HTTPStatus, _ fields: HTTPFields, _ timing: Timing?) throws {
    let version = timing?.httpVersion
    if transfer.isVerbose {
      line?.clear()
      for line in Console.head(status, fields, version: version, masksSecrets: true) {
        console.say("< \(line)")
      }
      console.say("")
    }
    guard transfer.showsHead || transfer.parts?.contains(.responseHead) ?? false else { return }
    if console.output.isTerminal { line?.clear() }
    try console.output.write(head: Console.head(status, fields, version: version))
  }

  private func showCacheStatus(_ response: Response) {
    guard transfer.isVerbose, let status = response.cacheStatus else { return }
    line?.clear()
    console.say("* cache: \(status)")
  }

  private func showTiming(_ timing: Timing) {
    guard transfer.isVerbose else { return }
    line?.clear()
    var lines = TimingText.lines(timing)
    if console.error.isTerminal, let timeline = watch.takeTimeline() {
      let waterfall = WaterfallText.lines(timeline, width: console.error.width)
      if !waterfall.isEmpty { lines = lines.prefix(1) + waterfall }
    }
    for line in lines { console.say(line) }
  }
}

/// Writes one JSON object to standard output, for a response and for a failure.
final class JSONDelivery: Delivery {
  private static let memoryLimit = 64 << 20

  private let transfer: Transfer
  private let console: Console
  private let line: (any LiveLine)?
  /// The report of the response so far, for a failure that follows it.
  private let known = Locked<JSONReport?>(nil)

  init(_ transfer: Transfer, _ console: Console, _ line: (any LiveLine)?) {
    self.transfer = transfer
    self.console = console
    self.line = line
  }

  func deliver(_ response: Response, to output: OutputDescriptor) async throws {
    var report = report(of: response)
    known.withLock { [report] in $0 = report }
    var body = Data()
    for try await chunk in response.chunks {
      body.append(chunk)
      guard body.count <= Self.memoryLimit else { throw Self.tooLarge }
    }
    report.setBody(body)
    report.timing = JSONTiming(timing(response))
    known.withLock { [report] in $0 = report }
    try check(response, transfer)
    try show(report)
  }

  func delivered(_ response: Response, in path: String) throws {
    var report = report(of: response)
    if response.file != nil { report.file = path }
    report.timing = JSONTiming(response.timing)
    try show(report)
  }

  func fail(_ failure: CommandFailure, bodyTo output: OutputDescriptor) async throws {
    let error = failure.cause
    var report = known.withLock { $0 } ?? JSONReport(method: transfer.method, url: error?.url ?? redactedURL)
    if let error, let status = error.status {
      report.setResponse(status, error.fields?.masked ?? [:])
      if let prefix = error.bodyPrefix { report.setBody(prefix) }
      report.timing = error.timing.map(JSONTiming.init)
    }
    report.setFailure(failure)
    try show(report)
  }

  private func report(of response: Response) -> JSONReport {
    var report = JSONReport(method: transfer.method, url: redacted(response.url.absoluteString))
    report.setResponse(response.status, response.fields)
    return report
  }

  private var redactedURL: String { redacted(transfer.url) }

  /// Returns the URL as a request's description shows it: without secrets.
  private func redacted(_ url: String) -> String {
    String(Request.get(url).description.dropFirst("GET ".count))
  }

  private func show(_ report: JSONReport) throws {
    line?.end()
    try console.show(report)
  }

  private static var tooLarge: CommandFailure {
    CommandFailure(
      .rejected, RequestError.Code.bodyTooLarge.rawValue, "the body is too large for a JSON object (64 MiB)",
      hint: "Write it to a file: -o FILE.")
  }
}

import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Writes one JSON object to standard output, for a response and for a failure.
final class JSONDelivery: Delivery {
  private static let memoryLimit = 64 << 20

  private let transfer: Transfer
  private let console: Console
  private let line: (any LiveLine)?
  /// The report of the response so far, in case its status is refused.
  private let known = Locked<JSONReport?>(nil)

  init(_ transfer: Transfer, _ console: Console, _ line: (any LiveLine)?) {
    self.transfer = transfer
    self.console = console
    self.line = line
  }

  func deliver(_ response: Response, to outlet: Outlet) async throws {
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
    report.file = path
    report.timing = JSONTiming(response.timing)
    try show(report)
  }

  func fail(_ failure: CommandFailure) async throws {
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
      .refused, RequestError.Code.bodyTooLarge.rawValue, "the body is too large for a JSON object (64 MiB)",
      hint: "Write it to a file: -o FILE.")
  }
}

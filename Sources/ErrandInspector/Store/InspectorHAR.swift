import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The calls of an inspector as a HAR 1.2 file: an entry for each request that was sent.
struct InspectorHAR: Encodable {
  private struct Pair: Encodable {
    let name: String
    let value: String
  }

  private struct Request: Encodable {
    let method: String
    let url: String
    let httpVersion = "unknown"
    let cookies: [Pair] = []
    let headers: [Pair]
    let queryString: [Pair] = []
    let headersSize = -1
    let bodySize = -1
  }

  private struct Content: Encodable {
    let size: Int64
    let mimeType: String
    let text: String?
    let encoding: String?
  }

  private struct Response: Encodable {
    let status: Int
    let statusText: String
    let httpVersion = "unknown"
    let cookies: [Pair] = []
    let headers: [Pair]
    let content: Content
    let redirectURL = ""
    let headersSize = -1
    let bodySize = -1
  }

  private struct Timings: Encodable {
    let send = 0
    let wait: Double
    let receive = 0
  }

  private struct NoCache: Encodable {}

  private struct Entry: Encodable {
    let startedDateTime: String
    let time: Double
    let request: Request
    let response: Response
    let cache = NoCache()
    let timings: Timings
    let comment: String
  }

  private struct Creator: Encodable {
    let name = "Errand"
    let version = Version.current
  }

  private struct Log: Encodable {
    let version = "1.2"
    let creator = Creator()
    let entries: [Entry]
  }

  private let log: Log

  init(_ calls: [CallRecord]) { log = Log(entries: calls.flatMap(Self.entries)) }

  private static func entries(of call: CallRecord) -> [Entry] {
    let last = call.exchanges.count - 1
    return call.exchanges.enumerated().map { index, exchange in
      let spans = call.timeline.spans.filter {
        $0.attempt == exchange.attempt && $0.redirects == exchange.redirects
      }
      let begin = spans.map(\.begin).min() ?? call.timeline.began
      let time = max(0, ((spans.map(\.end).max() ?? begin) - begin).seconds * 1000)
      let body = index == last ? call.received?.shown : nil
      return Entry(
        startedDateTime: (call.date + (begin - call.timeline.began).seconds)
          .formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)),
        time: time,
        request: Request(
          method: exchange.request.method.rawValue, url: exchange.request.url,
          headers: exchange.request.fields.map { Pair(name: $0.name, value: $0.value) }),
        response: Response(
          status: exchange.response?.status.code ?? 0, statusText: exchange.failure ?? "",
          headers: exchange.response?.fields.map { Pair(name: $0.name, value: $0.value) } ?? [],
          content: Content(
            size: body?.length ?? 0, mimeType: exchange.response?.fields["Content-Type"] ?? "x-unknown",
            text: body?.text ?? body?.base64, encoding: body?.base64 == nil ? nil : "base64")),
        timings: Timings(wait: time),
        comment: "call \(call.id), attempt \(exchange.attempt)\(exchange.retry.map { ", again \($0)" } ?? "")"
      )
    }
  }
}

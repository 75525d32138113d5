import ErrandCore
import ErrandOutbox
import ErrandServing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// An action that the page requests.
struct InspectorAction: Decodable, Sendable {
  let name: String
  var call: UInt64?
  /// The requests of an outbox; nil for all that match `filter`.
  var ids: [String]?
  /// Names the state of the requests, in any case.
  var filter: OutboxFilter?
  /// The number of requests that the page has named.
  var count: Int?
  var lane: String?
  var origin: String?
  var key: String?
  /// The number of a pending action.
  var pending: Int?
}

/// Routes requests to the inspector and refuses those of other sites. Pure.
///
/// A page of another site can send requests here, but it does not know the token and has another `Origin`. A site
/// whose name resolves to 127.0.0.1 (DNS rebinding) has another `Host`.
struct InspectorRoutes: Sendable {
  enum Route: Sendable {
    case refused(Int)
    case events, export, har, cache
    case file(ConsoleFile)
    case details(UInt64)
    case requests(OutboxFilter, after: Int64, limit: Int)
    case count(OutboxFilter, after: Int64)
    case request(OutboxID)
    case action(InspectorAction)
  }

  let token: String
  let port: Int

  static let policy =
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
    + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

  static let fields: HTTPFields = [
    "Content-Security-Policy": policy, "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store", "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
  ]

  static var eventFields: HTTPFields {
    var fields = fields
    fields.set("Content-Type", "text/event-stream; charset=utf-8")
    return fields
  }

  func route(_ request: ServedRequest) -> Route {
    let hosts = ["127.0.0.1:\(port)", "localhost:\(port)"]
    guard let host = request.fields["Host"], hosts.contains(host) else { return .refused(403) }
    if let origin = request.fields["Origin"], origin != "http://\(host)" { return .refused(403) }
    if let site = request.fields["Sec-Fetch-Site"], !["same-origin", "none"].contains(site) {
      return .refused(403)
    }
    let parts = request.target.dropFirst().split(
      separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, isToken(parts[0]) else { return .refused(404) }
    let (path, query) = Self.query(parts[1])
    switch (request.method, path) {
    case (.get, "events"): return .events
    case (.get, "export"): return .export
    case (.get, "cache"): return .cache
    case (.get, "calls.har"): return .har
    case (.get, let path) where path.hasPrefix("calls/"):
      return UInt64(path.dropFirst("calls/".count)).map { .details($0) } ?? .refused(404)
    case (.get, "outbox/requests"):
      return .requests(
        OutboxFilter(query), after: Self.sequence(query),
        limit: min(max(query["limit"].flatMap { Int($0) } ?? 100, 1), 500))
    case (.get, "outbox/count"): return .count(OutboxFilter(query), after: Self.sequence(query))
    case (.get, "outbox/request"):
      return query["id"].map { .request(OutboxID(rawValue: $0)) } ?? .refused(404)
    case (.post, "action"):
      // A form of another site cannot send this content type without a CORS preflight.
      guard request.fields["Content-Type"] == "application/json", request.fields["Origin"] != nil,
        let action = try? JSONDecoder().decode(InspectorAction.self, from: request.body)
      else { return .refused(400) }
      return .action(action)
    case (.get, let path): return ConsoleFile(path: path).map { .file($0) } ?? .refused(404)
    default: return .refused(404)
    }
  }

  /// Splits a path and the parameters of its query.
  private static func query(_ target: Substring) -> (path: Substring, query: [String: String]) {
    let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2 else { return (parts[0], [:]) }
    // The page writes a space as a plus sign.
    let items = URLComponents(string: "?" + parts[1].replacing("+", with: "%20"))?.queryItems ?? []
    return (parts[0], Dictionary(items.map { ($0.name, $0.value ?? "") }) { first, _ in first })
  }

  private static func sequence(_ query: [String: String]) -> Int64 {
    query["after"].flatMap { Int64($0) } ?? 0
  }

  /// Compares in constant time, so that the time does not reveal the token.
  private func isToken(_ text: Substring) -> Bool {
    guard text.utf8.count == token.utf8.count else { return false }
    return zip(text.utf8, token.utf8).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }
}

extension ServedResponse {
  static func refused(_ status: Int) -> ServedResponse {
    .whole(status: status, fields: InspectorRoutes.fields, body: Data())
  }

  static func file(_ file: ConsoleFile) -> ServedResponse {
    var fields = InspectorRoutes.fields
    fields.set("Content-Type", file.type)
    return .whole(status: 200, fields: fields, body: file.content)
  }

  static func json(_ value: some Encodable) -> ServedResponse { json(data: ServerEvent.json(value)) }

  static func json(data: Data) -> ServedResponse {
    var fields = InspectorRoutes.fields
    fields.set("Content-Type", "application/json")
    return .whole(status: 200, fields: fields, body: data)
  }
}

/// Writes server-sent events.
enum ServerEvent {
  static func data(_ name: String, _ value: some Encodable) -> Data {
    // The encoder writes no line breaks, and escapes those in strings.
    Data("event: \(name)\ndata: ".utf8) + json(value) + Data("\n\n".utf8)
  }

  static func json(_ value: some Encodable) -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return (try? encoder.encode(value)) ?? Data("null".utf8)
  }
}

extension OutboxFilter {
  init(_ query: [String: String]) {
    self.init(
      state: query["state"].flatMap(Self.state), lane: query["lane"], origin: query["origin"],
      text: query["text"])
  }
}

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// An HTTP request and its options. A value: make it once, store it, send it as often as you like.
///
/// ```swift
/// let user = Request.get("https://api.example.com/me").field("Accept", "application/json")
/// let like = Request.post(likeURL, json: Like(id: 7)).attempts(1)
/// ```
///
/// An invalid request (a malformed URL, a body that cannot be encoded) throws an error when it is sent.
public struct Request: Sendable, Hashable {
  private struct Parts: Sendable, Hashable {
    var method: HTTPMethod
    var address: Address
    var fields: HTTPFields
    var body: RequestBody
    // Boxed separately, because the other parts change each time the request is sent, to add the client's
    // header fields.
    var options = Boxed(RequestOptions())
  }

  // Boxed, because every stage of a call holds the request, and so does every waiting caller.
  private var parts: Boxed<Parts>

  /// - Parameters:
  ///   - method: Any method.
  ///   - url: A `URL`, a `String` or a `URLPath` (`.path("users/\(id)")`): http or https, or relative to
  ///     `ClientConfiguration.baseURL`.
  ///   - query: Items added to the URL's query, in order, percent-encoded here.
  ///   - fields: The header fields to send. Missing ones (`Host`, `Content-Length`, …) are added.
  ///   - body: The body to send. A `Content-Type` in `fields` overrides the body's own.
  public init(
    _ method: HTTPMethod, _ url: some URLConvertible, query: KeyValuePairs<String, String> = [:],
    fields: HTTPFields = [:], body: RequestBody = .none
  ) {
    var address = Address(url)
    if !query.isEmpty { address = address.adding(query.lazy.map { ($0.key, $0.value) }) }
    parts = Boxed(Parts(method: method, address: address, fields: fields, body: body))
  }

  public var method: HTTPMethod {
    _read { yield parts.value.method }
    _modify { yield &parts.value.method }
  }

  public var fields: HTTPFields {
    _read { yield parts.value.fields }
    _modify { yield &parts.value.fields }
  }

  public var body: RequestBody {
    _read { yield parts.value.body }
    _modify { yield &parts.value.body }
  }

  /// The request's options; the modifiers set them.
  public var options: RequestOptions {
    _read { yield parts.value.options.value }
    _modify { yield &parts.value.options.value }
  }

  var address: Address {
    _read { yield parts.value.address }
    _modify { yield &parts.value.address }
  }

  /// Returns the URL as text without its secrets, even if it is invalid.
  package func urlText(hiding secrets: Secrets) -> String { address.shown(hiding: secrets) }

  /// The URL, or nil if it is invalid, or relative: an interceptor sees the whole one.
  public var url: URL? { address.url }
}

extension Request {
  public static func get(_ url: some URLConvertible, query: KeyValuePairs<String, String> = [:]) -> Request {
    Request(.get, url, query: query)
  }

  public static func head(_ url: some URLConvertible, query: KeyValuePairs<String, String> = [:]) -> Request {
    Request(.head, url, query: query)
  }

  public static func delete(_ url: some URLConvertible, query: KeyValuePairs<String, String> = [:]) -> Request
  {
    Request(.delete, url, query: query)
  }

  public static func post(_ url: some URLConvertible, _ body: RequestBody = .none) -> Request {
    Request(.post, url, body: body)
  }

  public static func post(_ url: some URLConvertible, json value: some Encodable & Sendable) -> Request {
    Request(.post, url, body: .json(value))
  }

  public static func put(_ url: some URLConvertible, _ body: RequestBody = .none) -> Request {
    Request(.put, url, body: body)
  }

  public static func put(_ url: some URLConvertible, json value: some Encodable & Sendable) -> Request {
    Request(.put, url, body: .json(value))
  }

  public static func patch(_ url: some URLConvertible, _ body: RequestBody = .none) -> Request {
    Request(.patch, url, body: body)
  }

  public static func patch(_ url: some URLConvertible, json value: some Encodable & Sendable) -> Request {
    Request(.patch, url, body: .json(value))
  }
}

extension Request: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The method and the URL, without its secrets.
  public var description: String { "\(method) \(address.named(hiding: .standard))" }
  public var debugDescription: String { description }
  public var customMirror: Mirror {
    Mirror(self, children: ["request": description, "fields": fields, "body": body, "options": options])
  }
}

extension Request {
  /// The canonical name of the origin that the request leads to; empty if its URL has none.
  package var originName: String { address.originName }

  /// The path and the query, as they are in the request's first line.
  package var target: String? {
    URLReference(address.text).map { reference in
      (reference.path.isEmpty ? "/" : reference.path) + (reference.query.map { "?\($0)" } ?? "")
    }
  }

  /// A hash of the method, and of the URL without its query: servers decide by these whether a user may have a response.
  package var resource: Int {
    var hasher = Hasher()
    hasher.combine(method)
    for byte in address.text.utf8.prefix(while: { !"?#".utf8.contains($0) }) { hasher.combine(byte) }
    return hasher.finalize()
  }
}

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// An HTTP request and its options. It is a value: create it once, store it, and send it any number of times.
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

  // Boxed, because every stage of a call and every waiting caller hold the request.
  private var parts: Boxed<Parts>

  /// Makes a request.
  /// - Parameters:
  ///   - method: The method; any is allowed.
  ///   - url: A `URL`, a `String` or a `URLPath` (`.path("users/\(id)")`): http or https, or relative to
  ///     `ClientConfiguration.baseURL`.
  ///   - query: Names and values to add to the URL's query, in order. They are percent-encoded.
  ///   - fields: The header fields to send. Errand adds missing ones (`Host`, `Content-Length`, …).
  ///   - body: The body to send. A `Content-Type` in `fields` overrides the body's own.
  public init(
    _ method: HTTPMethod, _ url: some URLConvertible, query: KeyValuePairs<String, String> = [:],
    fields: HTTPFields = [:], body: RequestBody = .none
  ) {
    var address = Address(url)
    if !query.isEmpty { address = address.adding(query.lazy.map { ($0.key, $0.value) }) }
    parts = Boxed(Parts(method: method, address: address, fields: fields, body: body))
  }

  /// The method, such as `GET`.
  public var method: HTTPMethod {
    _read { yield parts.value.method }
    _modify { yield &parts.value.method }
  }

  /// The header fields that the caller has set. `Host`, `Content-Length` and others are added when the
  /// request is sent.
  public var fields: HTTPFields {
    _read { yield parts.value.fields }
    _modify { yield &parts.value.fields }
  }

  /// The body; `.none` if the request has no body.
  public var body: RequestBody {
    _read { yield parts.value.body }
    _modify { yield &parts.value.body }
  }

  /// The options, which the modifiers set.
  package var options: RequestOptions {
    _read { yield parts.value.options.value }
    _modify { yield &parts.value.options.value }
  }

  var address: Address {
    _read { yield parts.value.address }
    _modify { yield &parts.value.address }
  }

  /// The URL as text with its secrets, valid or not.
  package var urlText: String { address.text }

  /// Returns the URL as text without its secrets, valid or not.
  package func urlText(hiding secrets: Secrets) -> String { address.shown(hiding: secrets) }

  /// The URL; nil if it is invalid or relative. An interceptor gets a request whose URL is absolute.
  public var url: URL? { address.url }
}

extension Request {
  /// Makes a GET request.
  /// - Parameter query: Names and values to add to the URL's query, in order. They are percent-encoded.
  public static func get(_ url: some URLConvertible, query: KeyValuePairs<String, String> = [:]) -> Request {
    Request(.get, url, query: query)
  }

  /// Makes a HEAD request.
  /// - Parameter query: Names and values to add to the URL's query, in order. They are percent-encoded.
  public static func head(_ url: some URLConvertible, query: KeyValuePairs<String, String> = [:]) -> Request {
    Request(.head, url, query: query)
  }

  /// Makes a DELETE request.
  /// - Parameter query: Names and values to add to the URL's query, in order. They are percent-encoded.
  public static func delete(_ url: some URLConvertible, query: KeyValuePairs<String, String> = [:]) -> Request
  {
    Request(.delete, url, query: query)
  }

  /// Makes a POST request.
  public static func post(_ url: some URLConvertible, _ body: RequestBody = .none) -> Request {
    Request(.post, url, body: body)
  }

  /// Makes a POST request whose body is a value encoded as JSON, as `RequestBody.json(_:)` describes.
  public static func post(_ url: some URLConvertible, json value: some Encodable & Sendable) -> Request {
    Request(.post, url, body: .json(value))
  }

  /// Makes a PUT request.
  public static func put(_ url: some URLConvertible, _ body: RequestBody = .none) -> Request {
    Request(.put, url, body: body)
  }

  /// Makes a PUT request whose body is a value encoded as JSON, as `RequestBody.json(_:)` describes.
  public static func put(_ url: some URLConvertible, json value: some Encodable & Sendable) -> Request {
    Request(.put, url, body: .json(value))
  }

  /// Makes a PATCH request.
  public static func patch(_ url: some URLConvertible, _ body: RequestBody = .none) -> Request {
    Request(.patch, url, body: body)
  }

  /// Makes a PATCH request whose body is a value encoded as JSON, as `RequestBody.json(_:)` describes.
  public static func patch(_ url: some URLConvertible, json value: some Encodable & Sendable) -> Request {
    Request(.patch, url, body: .json(value))
  }
}

extension Request: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The method and the URL, without its secrets.
  public var description: String { LogText.line("\(method) \(address.named(hiding: .standard))") }
  public var debugDescription: String { description }
  /// A mirror of the request whose parts show no secrets.
  public var customMirror: Mirror {
    Mirror(self, children: ["request": description, "fields": fields, "body": body, "options": options])
  }
}

extension Request {
  /// The canonical name of the origin that the request leads to; empty if its URL has none.
  package var originName: String { address.originName }
}

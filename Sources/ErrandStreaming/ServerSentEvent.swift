#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// An event of an event stream (WHATWG's HTML standard, "Server-sent events").
public struct ServerSentEvent: Sendable, Hashable {
  /// The type, which the field `event` sets. Default: `message`.
  public var type: String
  /// The data. Several `data` fields are joined by line feeds.
  public var data: String
  /// The last id that the stream has sent, with this event or before it; empty if it has sent none.
  /// `client.events(_:after:)` continues after it.
  public var id: String

  /// Creates an event.
  public init(type: String = "message", data: String, id: String = "") {
    self.type = type
    self.data = data
    self.id = id
  }

  /// Decodes the data as JSON.
  /// - Parameters:
  ///   - type: The type to decode. Default: the type that the context expects.
  ///   - decoder: The decoder. Default: `JSONDecoder()`.
  /// - Throws: The decoder's error.
  public func decode<Value: Decodable>(
    _ type: Value.Type = Value.self, decoder: JSONDecoder = JSONDecoder()
  ) throws -> Value {
    try decoder.decode(type, from: Data(data.utf8))
  }
}

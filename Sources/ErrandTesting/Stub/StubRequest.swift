public import ErrandCore

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// An attempt that a `StubTransport` was asked to perform.
public struct StubRequest: Sendable {
  /// The attempt's index among all attempts of the stub, from 0.
  public let index: Int
  public let method: ErrandCore.Method
  public let url: URL
  public let fields: HTTPFields
  /// The whole body.
  public let body: Data
  public let timeout: Duration
  /// True if the transport may send the request again by itself when a reused connection turns out to be
  /// closed.
  public let mayBeRepeated: Bool

  init(index: Int, _ request: Exchange.Request, body: Data) {
    self.index = index
    method = request.method
    url = request.url
    fields = request.fields
    self.body = body
    timeout = request.timeout
    mayBeRepeated = request.mayBeRepeated
  }

  /// The body as UTF-8 text; invalid bytes are replaced.
  public var text: String { String(decoding: body, as: UTF8.self) }
}

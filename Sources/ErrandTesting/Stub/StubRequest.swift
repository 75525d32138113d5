public import ErrandCore

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A try as a `StubTransport` was given it.
public struct StubRequest: Sendable {
  /// Its place among all tries of the stub, from 0.
  public let index: Int
  public let method: ErrandCore.Method
  public let url: URL
  public let fields: HTTPFields
  /// All of the body.
  public let body: Data
  public let timeout: Duration
  /// True if the transport may, on a stale connection, send it twice without asking.
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

  /// The body as text: UTF-8, with what is not valid replaced.
  public var text: String { String(decoding: body, as: UTF8.self) }
}

public import ErrandCore

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// One try, as a `SimulatedNetwork` carried it. Times are those of its clock, since the network was made.
public struct SimulatedTry: Sendable {
  public enum End: Sendable, Hashable {
    /// The whole answer arrived.
    case answered(Status)
    /// It failed, as the network wanted or because its answer was refused.
    case failed(RequestError.Code)
    /// Nobody waited for it any more.
    case calledOff
  }

  /// Its place among all tries, from 0.
  public let index: Int
  public let method: ErrandCore.Method
  public let url: URL
  public let fields: HTTPFields
  /// All of the body.
  public internal(set) var body = Data()
  /// When the transport was asked for it.
  public let began: Duration
  /// When the server had it, if it ever did.
  public internal(set) var seen: Duration?
  /// The head of the answer, if that arrived.
  public internal(set) var answer: ResponseHead?
  public internal(set) var ended: Duration?
  public internal(set) var end: End?

  init(index: Int, _ request: Exchange.Request, began: Duration) {
    self.index = index
    method = request.method
    url = request.url
    fields = request.fields
    self.began = began
  }

  public var host: String { url.host() ?? "" }
  /// The path of the URL, percent-encoded.
  public var path: String { url.path() }

  /// The body as text: UTF-8, with what is not valid replaced.
  public var text: String { String(decoding: body, as: UTF8.self) }
}

public import ErrandCore

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A request as a `MockServer` saw it.
public struct MockRequest: Sendable, CustomStringConvertible {
  /// Its place among all requests of the server, from 0, in the order in which their heads were complete.
  public let index: Int
  /// The number of the connection it came on, from 1.
  public let connection: Int
  public let method: ErrandCore.Method
  /// What stood in the request line: `/path?query`, or a whole URL if a proxy was asked.
  public let target: String
  public let fields: HTTPFields
  /// The bytes of the body so far, without the framing of chunks. Empty in the conditions of `MockServer.wait`; there
  /// `bodyBytes` tells how many they are.
  public internal(set) var body = Data()
  /// How many bytes of the body have come so far.
  public internal(set) var bodyBytes = 0
  /// True once the last byte of the body is here.
  public internal(set) var isComplete = false
  /// True if the client closed or reset the connection before this request had its answer.
  public internal(set) var wasAbandoned = false

  init(index: Int, connection: Int, method: ErrandCore.Method, target: String, fields: HTTPFields) {
    self.index = index
    self.connection = connection
    self.method = method
    self.target = target
    self.fields = fields
  }

  /// The target up to its query.
  public var path: String { String(target.prefix { $0 != "?" }) }

  /// What follows the question mark, or nil.
  public var query: String? {
    target.firstIndex(of: "?").map { String(target[target.index(after: $0)...]) }
  }

  /// The body as text: UTF-8, with what is not valid replaced.
  public var text: String { String(decoding: body, as: UTF8.self) }

  public var description: String {
    "\(method) \(target) on connection \(connection), "
      + "\(bodyBytes) bytes of body\(isComplete ? "" : " so far")\(wasAbandoned ? ", abandoned" : "")"
  }
}

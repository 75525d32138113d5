/// A connection to a `MockServer`.
public struct MockConnection: Sendable, Hashable, CustomStringConvertible {
  /// How a connection ended.
  public enum End: String, Sendable, Hashable {
    case closedByClient
    /// With an RST, which a client also sends when it closes without having read everything.
    case resetByClient
    case closedByServer
    case resetByServer
  }

  /// The connection's number, from 1, in the order in which connections were accepted.
  public let number: Int
  /// How the connection ended; nil while it is open.
  public internal(set) var end: End?
  /// The number of bytes that the system took from the server, with heads and framing.
  public internal(set) var bytesSent = 0
  /// The number of bytes that arrived, with heads and framing.
  public internal(set) var bytesReceived = 0
  /// The number of requests that arrived on the connection.
  public internal(set) var requests = 0

  init(number: Int) { self.number = number }

  public var isOpen: Bool { end == nil }

  public var description: String {
    "connection \(number): \(requests) requests, \(end?.rawValue ?? "open")"
  }
}

/// A connection as a `MockServer` saw it.
public struct MockConnection: Sendable, Hashable, CustomStringConvertible {
  /// How a connection ended.
  public enum End: String, Sendable, Hashable {
    case closedByClient
    /// With an RST, which is also what comes when a client closes without having read everything.
    case resetByClient
    case closedByServer
    case resetByServer
  }

  /// Its number, from 1, in the order in which they were accepted.
  public let number: Int
  /// How it ended, or nil while it is open.
  public internal(set) var end: End?
  /// Bytes that the system took from the server, heads and framing included.
  public internal(set) var bytesSent = 0
  /// Bytes that came, heads and framing included.
  public internal(set) var bytesReceived = 0
  /// How many requests came on it.
  public internal(set) var requests = 0

  init(number: Int) { self.number = number }

  public var isOpen: Bool { end == nil }

  public var description: String {
    "connection \(number): \(requests) requests, \(end?.rawValue ?? "open")"
  }
}

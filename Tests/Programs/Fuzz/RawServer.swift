import Foundation

/// A server on a raw socket that handles one connection at a time: it reads one request, sends the given
/// response, and reads whatever else arrives.
final class RawServer: @unchecked Sendable {
  struct Connection: Sendable {
    var request: StrictRequest?
    /// The reason why the bytes are not exactly one request.
    var fault: String?
    /// All bytes that arrived.
    var bytes: [UInt8] = []
  }

  static let done = Array("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok".utf8)
  private static let mark = Array("\u{1}mark".utf8)

  let port: Int
  private let listener: Int32
  // Safe to share: everything but the listener is touched only under the condition.
  private let condition = NSCondition()
  private var responses: [[UInt8]] = []
  private var connections: [Connection] = []
  private var marks = 0

  init() throws {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let code = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        bind(listener, pointer, length) | listen(listener, 64) | getsockname(listener, pointer, &length)
      }
    }
    guard code == 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
    self.listener = listener
    port = Int(UInt16(bigEndian: address.sin_port))
    Thread.detachNewThread { [self] in while true { serve() } }
  }

  /// Sets the responses for the next connections; all others get a 200.
  func response(with responses: [[UInt8]]) { condition.withLock { self.responses = responses } }

  /// Returns the connections since the last call. All earlier ones are read first, because connections are
  /// accepted in order.
  func take() -> [Connection] {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let wanted = condition.withLock { marks + 1 }
    _ = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    _ = Self.mark.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    close(descriptor)
    condition.lock()
    defer { condition.unlock() }
    while marks < wanted { condition.wait() }
    defer { (connections, responses) = ([], []) }
    return connections
  }

  private func serve() {
    let descriptor = accept(listener, nil, nil)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    var wait = timeval(tv_sec: 2, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &wait, socklen_t(MemoryLayout<timeval>.size))
    var connection = Connection()
    var reading = StrictRequest.Reading.incomplete
    while case .incomplete = reading, read(descriptor, &connection.bytes) {
      if connection.bytes == Self.mark {
        return condition.withLock {
          marks += 1
          condition.broadcast()
        }
      }
      reading = StrictRequest.read(connection.bytes)
    }
    switch reading {
    case .incomplete: if !connection.bytes.isEmpty { connection.fault = "a truncated request" }
    case .bad(let reason): connection.fault = reason
    case .whole(let request):
      connection.request = request
      send(response(), descriptor)
      while read(descriptor, &connection.bytes) {}
      if connection.bytes.count > request.end { connection.fault = "more than one request" }
    }
    if !connection.bytes.isEmpty { condition.withLock { connections.append(connection) } }
  }

  private func response() -> [UInt8] {
    condition.withLock { responses.isEmpty ? Self.done : responses.removeFirst() }
  }

  private func read(_ descriptor: Int32, _ bytes: inout [UInt8]) -> Bool {
    withUnsafeTemporaryAllocation(byteCount: 64 << 10, alignment: 1) { room in
      let count = recv(descriptor, room.baseAddress, room.count, 0)
      if count > 0 { bytes += room.prefix(count) }
      return count > 0
    }
  }

  private func send(_ bytes: [UInt8], _ descriptor: Int32) {
    _ = bytes.withUnsafeBytes {
      Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
    }
    shutdown(descriptor, Int32(SHUT_WR))
  }
}

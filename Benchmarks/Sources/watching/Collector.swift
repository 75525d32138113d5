import BenchmarkSupport
import Foundation
import Synchronization

/// A collector that counts the spans that it receives. Each connection has a thread.
final class Collector: Sendable {
  struct Counts: Sendable {
    var spans = 0
    var requests = 0
  }

  private let listener: Listener
  private let counts = Mutex<Counts>(Counts())

  init() throws {
    listener = try Listener(backlog: 64)
    let listener = listener.descriptor
    Thread.detachNewThread { [self] in
      while true {
        let descriptor = accept(listener, nil, nil)
        guard descriptor >= 0 else { return }
        Thread.detachNewThread { self.serve(descriptor) }
      }
    }
  }

  var url: URL { URL(string: "http://127.0.0.1:\(listener.port)")! }
  var received: Counts { counts.withLock { $0 } }

  private func serve(_ descriptor: Int32) {
    defer { close(descriptor) }
    var input = Data()
    var room = [UInt8](repeating: 0, count: 256 << 10)
    let response = Array(
      "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}".utf8)
    while true {
      while let end = input.firstRange(of: Data("\r\n\r\n".utf8)) {
        let head = String(decoding: input[..<end.lowerBound], as: UTF8.self).lowercased()
        let length = head.firstMatch(of: /content-length: ([0-9]+)/).flatMap { Int($0.1) } ?? 0
        guard input.endIndex - end.upperBound >= length else { break }
        count(input[end.upperBound..<end.upperBound + length])
        input = Data(input[(end.upperBound + length)...])
        _ = response.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
      }
      let count = read(descriptor, &room, room.count)
      guard count > 0 else { return }
      input.append(contentsOf: room[..<count])
    }
  }

  private func count(_ body: Data) {
    var (found, rest) = (0, body[...])
    let mark = Data("\"endTimeUnixNano\"".utf8)
    while let range = rest.firstRange(of: mark) {
      found += 1
      rest = rest[range.upperBound...]
    }
    counts.withLock { counts in
      counts.spans += found
      counts.requests += 1
    }
  }
}

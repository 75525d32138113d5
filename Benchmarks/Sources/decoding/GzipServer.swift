import BenchmarkSupport
import Foundation
import GzipMaker

/// A server that responds with text in gzip, with a gzip bomb, or with plain data.
// This is safe to share, because it does not change.
final class GzipServer: @unchecked Sendable {
  let textSize: Int
  var bombSize: Int { bomb.count }
  private let text: Data
  private let bomb: Data
  private let plain = Data(count: 50_000_000)
  private let listener: Listener

  init(textSize: Int) throws {
    listener = try Listener(backlog: 16)
    let block = 16 << 20
    let count = max(1, textSize / block)
    self.textSize = block * count
    text = try Self.gzip(Self.words(block), count)
    bomb = try Self.gzip([UInt8](repeating: 0, count: 1 << 20), 200)
  }

  func url(_ path: String) -> String { "http://127.0.0.1:\(listener.port)/\(path)" }

  private static func gzip(_ block: [UInt8], _ count: Int) throws -> Data {
    var size = 0
    guard let bytes = gzip_make(block, block.count, count, &size) else {
      throw POSIXError(.ENOMEM)
    }
    return Data(bytesNoCopy: bytes, count: size, deallocator: .free)
  }

  /// Returns random words, which compress about as well as text.
  private static func words(_ size: Int) -> [UInt8] {
    var seed: UInt64 = 1
    func next() -> Int {
      seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(seed >> 33)
    }
    let known = (0..<4000).map { _ in
      (0..<(2 + next() % 9)).map { _ in UInt8(97 + next() % 26) } + [32]
    }
    var text: [UInt8] = []
    text.reserveCapacity(size + 16)
    while text.count < size { text += known[min(next() % 4000, next() % 4000)] }
    return Array(text.prefix(size))
  }

  func start() {
    Thread.detachNewThread { [self] in
      while true {
        let connection = accept(listener.descriptor, nil, nil)
        guard connection >= 0 else { return }
        Thread.detachNewThread { [self] in
          while let path = Self.request(connection) { response(path, connection) }
          close(connection)
        }
      }
    }
  }

  private static func request(_ connection: Int32) -> String? {
    var head: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while !head.ends(with: [13, 10, 13, 10]) {
      let count = recv(connection, &buffer, buffer.count, 0)
      guard count > 0 else { return nil }
      head += buffer.prefix(count)
    }
    return String(decoding: head.split(separator: 32)[1], as: UTF8.self)
  }

  private func response(_ path: String, _ connection: Int32) {
    let body = path == "/text" ? text : path == "/bomb" ? bomb : plain
    let coding = path == "/plain" ? "" : "Content-Encoding: gzip\r\n"
    send(Data("HTTP/1.1 200 OK\r\n\(coding)Content-Length: \(body.count)\r\n\r\n".utf8), connection)
    send(body, connection)
  }

  private func send(_ data: Data, _ connection: Int32) {
    data.withUnsafeBytes { bytes in
      var done = 0
      while done < bytes.count {
        let count = write(connection, bytes.baseAddress! + done, min(bytes.count - done, 1 << 20))
        guard count > 0 else { return }
        done += count
      }
    }
  }
}

extension Array where Element == UInt8 {
  fileprivate func ends(with end: [UInt8]) -> Bool { count >= end.count && Array(suffix(end.count)) == end }
}

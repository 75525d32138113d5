import ErrandCore
import Foundation

@testable import ErrandCore
@testable import ErrandOutbox

extension Request {
  /// Returns the whole body as it is sent, uncompressed.
  func bodyBytes(room: Int = 10_000) async throws -> Data {
    switch try body.open(compressed: false) {
    case .none: return Data()
    case .bytes(let data): return data
    case .reader(let reader): return try reader.allBytes(room: room)
    }
  }
}

extension BodyReader {
  /// Reads the whole body; for readers that never wait.
  func allBytes(room: Int = 10_000) throws -> Data {
    var all = Data()
    while true {
      var buffer = [UInt8](repeating: 0, count: room)
      switch try buffer.withUnsafeMutableBytes({ try read(into: $0) }) {
      case .bytes(let count): all += buffer.prefix(count)
      case .end: return all
      case .notYet: preconditionFailure("a file reader never suspends")
      }
    }
  }
}

extension NewRow {
  /// The row as a store would return it.
  var stored: OutboxRow {
    OutboxRow(
      id: id, sequence: 1, lane: lane, priority: priority, state: .stored, created: 0, changed: 0,
      attempts: 0,
      countedAttempts: 0, due: nil, expires: nil, reason: nil, size: size, summary: summary, response: nil)
  }
}

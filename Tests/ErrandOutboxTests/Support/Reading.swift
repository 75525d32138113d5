import ErrandCore
import Foundation

@testable import ErrandCore
@testable import ErrandOutbox

extension Request {
  /// All that is sent of its body, not compressed.
  func bodyBytes(room: Int = 10_000) async throws -> Data {
    switch try body.open(compressed: false) {
    case .none: return Data()
    case .bytes(let data): return data
    case .reader(let reader): return try reader.allBytes(room: room)
    }
  }
}

extension BodyReader {
  /// All of it; for those that never wait.
  func allBytes(room: Int = 10_000) throws -> Data {
    var all = Data()
    while true {
      var buffer = [UInt8](repeating: 0, count: room)
      switch try buffer.withUnsafeMutableBytes({ try read(into: $0) }) {
      case .bytes(let count): all += buffer.prefix(count)
      case .end: return all
      case .notYet: preconditionFailure("files do not wait")
      }
    }
  }
}

extension NewRow {
  /// As a store would give it back.
  var stored: OutboxRow {
    OutboxRow(
      id: id, sequence: 1, lane: lane, priority: priority, state: .stored, created: 0, changed: 0, tries: 0,
      countedTries: 0, due: nil, expires: nil, reason: nil, size: size, summary: summary, answer: nil)
  }
}

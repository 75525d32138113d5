import ErrandCore
import ErrandOutbox
import Foundation

extension Outbox {
  /// Returns the lines of an export, without line ends.
  func exportedLines(_ selection: OutboxSelection = .all) async throws -> [String] {
    var all = Data()
    try await export(selection) { all += $0 }
    return String(decoding: all, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  @discardableResult
  func `import`(lines: some Sequence<String>) async throws -> OutboxImport {
    try await `import`(Data(lines.map { "\($0)\n" }.joined().utf8).pieces(of: 1000))
  }
}

extension Data {
  /// Returns the data in pieces of this length; the last may be shorter.
  func pieces(of length: Int) -> AsyncStream<Data> {
    AsyncStream { continuation in
      for start in stride(from: 0, to: count, by: length) {
        continuation.yield(self[start..<Swift.min(start + length, count)])
      }
      continuation.finish()
    }
  }
}

import CDiskTrace
import Foundation

/// The changes of a program beneath a folder, in order, with the marks that it wrote in between.
struct DiskTrace {
  struct Record {
    let kind: Int
    let isFolder: Bool
    let descriptor: Int32
    let offset: Int64
    let bytes: Data

    var text: String { String(decoding: bytes, as: UTF8.self) }
  }

  let records: [Record]

  /// Runs `work`, and records its changes beneath `root`.
  init(of root: URL, in file: URL, _ work: () async throws -> Void) async throws {
    struct NotRecorded: Error {}
    guard errand_trace_start(root.path, file.path) else { throw NotRecorded() }
    do {
      try await work()
      errand_trace_stop()
    } catch {
      errand_trace_stop()
      throw error
    }
    records = Self.parse(try Data(contentsOf: file))
    try FileManager.default.removeItem(at: file)
  }

  private static func parse(_ data: Data) -> [Record] {
    var records: [Record] = []
    let headLength = MemoryLayout<errand_trace_record>.size
    data.withUnsafeBytes { bytes in
      var offset = 0
      while offset + headLength <= bytes.count {
        let head = bytes.loadUnaligned(fromByteOffset: offset, as: errand_trace_record.self)
        offset += headLength
        let content = Data(bytes[offset..<offset + Int(head.length)])
        offset += Int(head.length)
        records.append(
          Record(
            kind: Int(head.kind), isFolder: head.is_folder != 0, descriptor: head.fd, offset: head.offset,
            bytes: content))
      }
    }
    return records
  }

  /// Writes a mark into the trace that is being recorded.
  static func say(_ text: String) { errand_trace_say(text) }
}

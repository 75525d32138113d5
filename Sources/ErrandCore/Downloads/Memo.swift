#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A small hidden file beside a download, in JSON.
enum Memo {
  /// The largest memo that is read. Errand writes no longer one.
  private static let limit: Int64 = 64 << 10

  /// Returns the value in a memo; nil without a readable one.
  static func read<Value: Decodable>(_ path: String) -> Value? {
    guard let file = try? FileDescriptor(reading: path), let length = try? file.length(), length <= limit,
      let data = try? file.read(Int(length), at: 0)
    else { return nil }
    return try? JSONDecoder().decode(Value.self, from: data)
  }

  /// Writes a memo. A failure is ignored, because a memo only saves a transfer.
  static func write(_ value: some Encodable, to path: String) {
    guard let data = try? JSONEncoder().encode(value), let draft = try? Draft.open(beside: path) else {
      return
    }
    do {
      try draft.write(data, at: 0)
      try FileDescriptor.move(draft.path, to: path)
    } catch {
      FileDescriptor.remove(draft.path)
    }
  }
}

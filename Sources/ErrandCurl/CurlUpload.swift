import CCurl
import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Reads the body of one attempt, piece by piece.
struct CurlUpload {
  /// True while the body has no more bytes yet.
  private(set) var isWaiting = false
  private let upload: Upload
  private var offset = 0

  init(_ upload: Upload) { self.upload = upload }

  /// Fills `room` from its start; returns what libcurl's read callback returns.
  mutating func read(into room: UnsafeMutableRawBufferPointer) throws -> Int {
    switch upload {
    case .none: return 0
    case .bytes(let data):
      let count = min(room.count, data.count - offset)
      room.copyBytes(from: data.dropFirst(offset).prefix(count))
      offset += count
      return count
    case .reader(let reader):
      switch try reader.read(into: room) {
      case .bytes(let count): return count
      case .end: return 0
      case .notYet:
        isWaiting = true
        return Int(CURL_READFUNC_PAUSE)
      }
    }
  }

  mutating func hasMore() { isWaiting = false }
}

import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Reads an encrypted file, and decrypts it chunk by chunk while it is sent.
final class SealedFileReader: BodyReader {
  private struct State {
    var next: Int64 = 0
    var chunk = Data()
  }

  private let file: FileDescriptor
  private let fileKey: OutboxKey
  private let part: SealedPart
  private let plainLength: Int64
  private let state = Locked(State())

  var length: Int64? { plainLength }

  /// - Parameter length: The number of decrypted bytes.
  /// - Throws: `RequestError.fileUnreadable`, with the reason: the file is missing, truncated, damaged, or
  ///   encrypted with another key.
  init(_ path: String, length: Int64, opening seal: ContentSeal, as part: SealedPart) throws(RequestError) {
    self.part = part
    plainLength = length
    do {
      file = try FileDescriptor(reading: path)
      guard try file.length() == SealedFileFormat.sealedLength(of: length) else {
        throw ContentSeal.damaged(part)
      }
      let head = try file.read(SealedFileFormat.headLength, at: 0)
      fileKey = try SealedFileFormat.fileKey(in: head, opening: seal, as: part)
    } catch {
      throw .unreadableStoredFile(path, error, reachedServer: false)
    }
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws -> BodyRead {
    try state.withLock { state in
      // The last chunk of an empty file is checked, too: otherwise the file could be replaced unnoticed.
      while state.chunk.isEmpty {
        guard state.next < SealedFileFormat.chunkCount(of: plainLength) else { return .end }
        state.chunk = try chunk(state.next)
        state.next += 1
      }
      let count = min(buffer.count, state.chunk.count)
      buffer.copyBytes(from: state.chunk.prefix(count))
      state.chunk = count == state.chunk.count ? Data() : state.chunk.dropFirst(count)
      return .bytes(count)
    }
  }

  private func chunk(_ index: Int64) throws(RequestError) -> Data {
    let place = SealedFileFormat.chunk(index, ofFileOf: plainLength)
    let isLast = index + 1 == SealedFileFormat.chunkCount(of: plainLength)
    do {
      let sealed = try file.read(place.length, at: place.offset)
      guard sealed.count == place.length,
        let chunk = SealedFileFormat.open(sealed, index, isLast: isLast, with: fileKey)
      else { throw ContentSeal.damaged(part) }
      return chunk
    } catch {
      throw .unreadableStoredFile(file.path, error, reachedServer: true)
    }
  }

  func onReady(_ handler: @escaping @Sendable () -> Void) {}
  func close() {}
}

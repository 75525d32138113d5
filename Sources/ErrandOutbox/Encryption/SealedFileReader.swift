import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Reads an encrypted body, and decrypts it chunk by chunk while it is sent.
final class SealedFileReader: BodyReader {
  private struct State {
    var fileKey: OutboxKey?
    /// The bytes of the next chunk, or of the head, that have been read.
    var sealed = Data()
    var next: Int64 = 0
    var chunk = Data()
  }

  private let reader: any BodyReader
  private let name: String
  private let seal: ContentSeal
  private let part: SealedPart
  private let plainLength: Int64
  private let state = Locked(State())

  var length: Int64? { plainLength }

  /// - Parameters:
  ///   - reader: Reads the encrypted bytes.
  ///   - name: The name of the body, for messages.
  ///   - length: The number of decrypted bytes.
  /// - Throws: `RequestError.fileUnreadable`, with the reason: the body is truncated, damaged, or encrypted
  ///   with another key.
  init(
    _ reader: any BodyReader, _ name: String, length: Int64, opening seal: ContentSeal, as part: SealedPart
  ) throws(RequestError) {
    (self.reader, self.name, self.seal, self.part, plainLength) = (reader, name, seal, part, length)
    do {
      guard reader.length == SealedFileFormat.sealedLength(of: length) else {
        throw ContentSeal.damaged(part)
      }
      // The head is checked before any byte is sent, if it can be read at once.
      _ = try state.withLock { try readHead(&$0) }
    } catch {
      throw .unreadableStoredFile(
        name, error, reachedServer: false)
    }
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws -> BodyRead {
    do {
      return try state.withLock { state in
        // The last chunk of an empty body is checked, too. Otherwise the body could be replaced unnoticed.
        while state.chunk.isEmpty {
          guard state.next < SealedFileFormat.chunkCount(of: plainLength) else { return .end }
          guard try readHead(&state), try readChunk(&state) else { return .notYet }
        }
        let count = min(buffer.count, state.chunk.count)
        buffer.copyBytes(from: state.chunk.prefix(count))
        state.chunk = count == state.chunk.count ? Data() : state.chunk.dropFirst(count)
        return .bytes(count)
      }
    } catch let error as RequestError {
      throw error
    } catch {
      throw RequestError.unreadableStoredFile(name, error, reachedServer: true)
    }
  }

  /// Reads the head, unless it was read before.
  /// - Returns: False if more bytes have to arrive first.
  private func readHead(_ state: inout State) throws -> Bool {
    if state.fileKey != nil { return true }
    guard let head = try next(SealedFileFormat.headLength, &state) else { return false }
    state.fileKey = try SealedFileFormat.fileKey(in: head, opening: seal, as: part)
    return true
  }

  /// Reads the next chunk.
  /// - Returns: False if more bytes have to arrive first.
  private func readChunk(_ state: inout State) throws -> Bool {
    let length = SealedFileFormat.chunk(state.next, ofFileOf: plainLength).length
    guard let sealed = try next(length, &state), let fileKey = state.fileKey else { return false }
    let isLast = state.next + 1 == SealedFileFormat.chunkCount(of: plainLength)
    guard let chunk = SealedFileFormat.open(sealed, state.next, isLast: isLast, with: fileKey) else {
      throw ContentSeal.damaged(part)
    }
    state.chunk = chunk
    state.next += 1
    return true
  }

  /// Reads exactly this many bytes; nil if more bytes have to arrive first.
  private func next(_ count: Int, _ state: inout State) throws -> Data? {
    while state.sealed.count < count {
      var piece = Data(count: count - state.sealed.count)
      let read = try piece.withUnsafeMutableBytes { try reader.read(into: $0) }
      switch read {
      case .bytes(let length): state.sealed += length == piece.count ? piece : piece.prefix(length)
      case .notYet: return nil
      case .end: throw ContentSeal.damaged(part)
      }
    }
    defer { state.sealed = Data() }
    return state.sealed
  }

  func onReady(_ handler: @escaping @Sendable () -> Void) { reader.onReady(handler) }
  func close() { reader.close() }
}

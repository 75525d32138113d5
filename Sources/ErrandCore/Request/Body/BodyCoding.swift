#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// A content coding, such as encryption, that is applied to the bodies of requests after compression.
package protocol BodyCoding: Sendable {
  /// The name of the coding in `Content-Encoding`.
  var name: String { get }
  /// Text that distinguishes codings. Requests with different ones do not share a response.
  var identity: String { get }

  /// Begins one attempt, and chooses its own random parts, such as a salt.
  func begin() throws -> any BodyCodingAttempt
}

/// The coding of one attempt's body. The body may be encoded several times, always to the same bytes.
package protocol BodyCodingAttempt: Sendable {
  /// Returns the length of a coded body; nil if it is known only at its end.
  func codedLength(of length: Int64) -> Int64?
  func makeEncoder() throws -> any BodyEncoder
}

/// Encodes a body piece by piece. Its methods are called by one thread at a time.
package protocol BodyEncoder: AnyObject {
  func update(_ piece: Data) throws -> Data
  func finish() throws -> Data
}

/// Encodes the bytes of another reader.
final class CodedReader: BodyReader {
  private struct State {
    let encoder: any BodyEncoder
    var input = [UInt8](repeating: 0, count: 64 << 10)
    var output = Data()
    var hasEnded = false
  }

  private let source: any BodyReader
  let length: Int64?
  // Safe to share: a body has one reader, which is the transport's thread.
  private nonisolated(unsafe) var state: State

  init(_ source: any BodyReader, _ coding: any BodyCodingAttempt) throws {
    self.source = source
    length = source.length.flatMap(coding.codedLength)
    unsafe state = State(encoder: try coding.makeEncoder())
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws -> BodyRead {
    while unsafe state.output.isEmpty {
      if unsafe state.hasEnded { return .end }
      switch try unsafe state.input.withUnsafeMutableBytes({ try unsafe source.fill($0) }) {
      case .notYet: return .notYet
      case .end:
        unsafe state.hasEnded = true
        unsafe state.output = try state.encoder.finish()
      case .bytes(let count):
        unsafe state.output = try state.encoder.update(Data(state.input[..<count]))
      }
    }
    let piece = unsafe state.output.prefix(buffer.count)
    unsafe buffer.copyBytes(from: piece)
    unsafe state.output = state.output.count == piece.count ? Data() : state.output.dropFirst(piece.count)
    return .bytes(piece.count)
  }

  func onReady(_ handler: @escaping @Sendable () -> Void) { source.onReady(handler) }
  func close() { source.close() }
}

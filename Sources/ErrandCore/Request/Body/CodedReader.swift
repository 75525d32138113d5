#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

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

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Compresses the bytes of another reader.
final class GzipReader: BodyReader {
  private struct State: ~Copyable {
    var gzip: Gzip?
    var input = [UInt8](repeating: 0, count: 64 << 10)
    var available = 0..<0
    var sourceEnded = false
    var isDone = false
  }

  private let source: any BodyReader
  // Safe to share: a body has one reader, which is the transport's thread.
  private nonisolated(unsafe) var state = State()

  init(_ source: any BodyReader) { self.source = source }

  var length: Int64? { nil }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws -> BodyRead {
    if unsafe state.gzip == nil { unsafe state.gzip = try Gzip() }
    while unsafe !state.isDone {
      if unsafe state.available.isEmpty, unsafe !state.sourceEnded {
        let read = try unsafe state.input.withUnsafeMutableBytes { try unsafe source.read(into: $0) }
        switch read {
        case .notYet: return .notYet
        case .end: unsafe state.sourceEnded = true
        case .bytes(let count): unsafe state.available = 0..<count
        }
      }
      let step = unsafe state.input.withUnsafeBytes { input in
        unsafe state.gzip!.step(
          UnsafeRawBufferPointer(rebasing: input[state.available]), isLast: state.sourceEnded, into: buffer)
      }
      unsafe state.available.removeFirst(step.read)
      unsafe state.isDone = step.isDone
      if step.written > 0 { return .bytes(step.written) }
    }
    return .end
  }

  func onReady(_ handler: @escaping @Sendable () -> Void) { source.onReady(handler) }
  func close() { source.close() }
}

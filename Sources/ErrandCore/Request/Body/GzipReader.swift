import CZlib

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
        let read = try unsafe state.input.withUnsafeMutableBytes { try unsafe source.fill($0) }
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

/// Compresses with zlib's deflate into the gzip format (RFC 1952), step by step.
@safe struct Gzip: ~Copyable {
  // zlib keeps a pointer back to its stream, so the stream must not move.
  private let stream: UnsafeMutablePointer<z_stream>

  init() throws {
    unsafe stream = .allocate(capacity: 1)
    unsafe stream.initialize(to: z_stream())
    guard unsafe errand_deflate_init_gzip(stream, Z_DEFAULT_COMPRESSION) == Z_OK else {
      unsafe stream.deallocate()
      throw RequestError(.bodyFailed, message: "no memory to compress the body", reachedServer: false)
    }
  }

  deinit {
    unsafe deflateEnd(stream)
    unsafe stream.deallocate()
  }

  /// Compresses bytes of `input` into `output`.
  /// - Returns: The numbers of bytes read and written, and whether the end was written.
  mutating func step(
    _ input: UnsafeRawBufferPointer, isLast: Bool, into output: UnsafeMutableRawBufferPointer
  ) -> (read: Int, written: Int, isDone: Bool) {
    let source = unsafe input.bindMemory(to: UInt8.self)
    let target = unsafe output.bindMemory(to: UInt8.self)
    unsafe stream.pointee.next_in = UnsafeMutablePointer(mutating: source.baseAddress)
    unsafe stream.pointee.avail_in = UInt32(source.count)
    unsafe stream.pointee.next_out = target.baseAddress
    unsafe stream.pointee.avail_out = UInt32(target.count)
    let code = unsafe deflate(stream, isLast ? Z_FINISH : Z_NO_FLUSH)
    let unread = unsafe Int(stream.pointee.avail_in)
    let unused = unsafe Int(stream.pointee.avail_out)
    return (source.count - unread, target.count - unused, code == Z_STREAM_END)
  }

  static func compress(_ data: Data) throws -> Data {
    var gzip = try Gzip()
    var result = Data()
    var offset = 0
    let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 1)
    defer { unsafe room.deallocate() }
    while true {
      let piece = data.dropFirst(offset).prefix(1 << 20)
      let isLast = offset + piece.count == data.count
      let step = unsafe piece.withUnsafeBytes { unsafe gzip.step($0, isLast: isLast, into: room) }
      offset += step.read
      unsafe result.append(contentsOf: room.prefix(step.written))
      if step.isDone { return result }
    }
  }
}

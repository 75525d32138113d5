package import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Decodes the codings of one body. Coded pieces are put in, and decoded pieces are taken out on demand. The
/// rest stays coded, so it takes no more memory.
///
/// An empty body stays empty, whatever its codings: HEAD, 204 and 304 require that, and some servers send it
/// with a 200. Any other body must have a proper end, with nothing after it.
final class ContentDecoder {
  private static let stageSize = 64 << 10

  /// The decoder of one coding, with its input.
  private struct Stage {
    let decoder: any CodingDecoder
    /// The output of the stage before; nil in the first stage, which reads `input`.
    var room: UnsafeMutableRawBufferPointer?
    var source = 0..<0
    /// True if the decoder may have more output without further input.
    var isPending = false
  }

  private var stages: [Stage] = []
  private let codings: Result<[ContentCoding], DecodingFailure>
  private var input = Data()
  private var spare: UnsafeMutableRawBufferPointer?

  /// Makes a decoder; nil if the body is not coded.
  init?(_ fields: HTTPFields) {
    codings = Result { () throws(DecodingFailure) in try ContentCoding.list(fields) }
    if case .success([]) = codings { return nil }
  }

  deinit {
    spare?.deallocate()
    for stage in stages { stage.room?.deallocate() }
  }

  /// True if more output may be available without further input.
  var hasMore: Bool { !input.isEmpty || stages.contains { $0.isPending || !$0.source.isEmpty } }

  func put(_ bytes: Data) {
    if input.isEmpty { input = bytes } else { input.append(bytes) }
  }

  /// Fills `room` with decoded bytes.
  /// - Returns: The number of bytes. It is less than `room.count` only if more input is needed.
  func take(into room: UnsafeMutableRawBufferPointer) throws(DecodingFailure) -> Int {
    if stages.isEmpty {
      guard !input.isEmpty else { return 0 }
      try begin()
    }
    var count = 0
    while count < room.count {
      let step = try fill(stages.count - 1, UnsafeMutableRawBufferPointer(rebasing: room[count...]))
      if step == 0 { break }
      count += step
    }
    return count
  }

  /// Returns the next piece, of at most `size` bytes; nil if more input is needed.
  func takePiece(_ size: Int) throws(DecodingFailure) -> Data? {
    let room = room(min(size, max(4 << 10, input.count * 4)))
    let count = try take(into: room)
    guard count > 0 else { return nil }
    // A nearly full piece is passed on without a copy. Copying a smaller one takes less memory.
    guard count > room.count / 2, let start = room.baseAddress else { return Data(room[..<count]) }
    spare = nil
    return Data(bytesNoCopy: start, count: count, deallocator: .custom { start, _ in start.deallocate() })
  }

  private func room(_ size: Int) -> UnsafeMutableRawBufferPointer {
    if let spare, spare.count >= size { return spare }
    spare?.deallocate()
    let room = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 16)
    spare = room
    return room
  }

  /// Ends the body. Throws if the body is incomplete.
  func end() throws(DecodingFailure) {
    guard stages.allSatisfy(\.decoder.isWhole) else { throw DecodingFailure("it ends too soon") }
  }

  private func begin() throws(DecodingFailure) {
    // The last coding that was applied is decoded first.
    for coding in try codings.get().reversed() {
      stages.append(Stage(decoder: try coding.makeDecoder()))
      if stages.count > 1 {
        stages[stages.count - 1].room = .allocate(byteCount: Self.stageSize, alignment: 16)
      }
    }
  }

  /// Decodes with the stage at `index`. Returns 0 if it needs more input.
  private func fill(_ index: Int, _ output: UnsafeMutableRawBufferPointer) throws(DecodingFailure) -> Int {
    while true {
      let wasPending = stages[index].isPending
      if !wasPending, try !hasSource(index) { return 0 }
      let step = index == 0 ? try decodeInput(into: output) : try decodeSource(index, into: output)
      stages[index].isPending = step.written == output.count
      if step.written > 0 { return step.written }
      guard step.read > 0 || wasPending else { throw DecodingFailure("its data is damaged") }
    }
  }

  private func hasSource(_ index: Int) throws(DecodingFailure) -> Bool {
    guard index > 0 else { return !input.isEmpty }
    if stages[index].source.isEmpty, let room = stages[index].room {
      stages[index].source = 0..<(try fill(index - 1, room))
    }
    return !stages[index].source.isEmpty
  }

  private func decodeInput(
    into output: UnsafeMutableRawBufferPointer
  ) throws(DecodingFailure) -> (read: Int, written: Int) {
    let decoder = stages[0].decoder
    let result = input.withUnsafeBytes { bytes in
      Result { () throws(DecodingFailure) in try decoder.step(bytes, into: output) }
    }
    let step = try result.get()
    input = step.read == input.count ? Data() : input.dropFirst(step.read)
    return step
  }

  private func decodeSource(
    _ index: Int, into output: UnsafeMutableRawBufferPointer
  ) throws(DecodingFailure) -> (read: Int, written: Int) {
    let source = UnsafeRawBufferPointer(
      rebasing: UnsafeRawBufferPointer(stages[index].room!)[stages[index].source])
    let step = try stages[index].decoder.step(source, into: output)
    stages[index].source.removeFirst(step.read)
    return step
  }
}

/// A coding of `Content-Encoding` (RFC 9110, section 8.4.1) that can be decoded.
package enum ContentCoding: String, Sendable, Hashable {
  case gzip, deflate, br, zstd

  /// The value of `Accept-Encoding`: the codings whose decoders are linked.
  package static let offered = "gzip, deflate, br, zstd"

  /// Returns the value of `Accept-Encoding` for a request with these fields.
  package static func accepted(with fields: HTTPFields, decodes: Bool) -> String {
    // A part of a coded body cannot be decoded.
    decodes && !fields.contains("Range") ? offered : "identity"
  }

  /// Returns the codings of a body in the order in which they were applied, without `identity`.
  ///
  /// An unknown coding is refused, as in libcurl. Browsers show such a body undecoded, but a caller would
  /// mistake the coded bytes for the content; `undecoded()` asks for them. More than `limit` codings are refused,
  /// because each takes memory, and servers use fewer.
  static func list(_ fields: HTTPFields) throws(DecodingFailure) -> [ContentCoding] {
    var codings: [ContentCoding] = []
    for value in fields.values(of: "Content-Encoding") {
      for part in value.split(separator: ",") {
        let name = ASCII.lowercased(ASCII.trimmed(part))
        switch name {
        case "", "identity", "none": continue
        case "x-gzip": codings.append(.gzip)
        default:
          guard let coding = ContentCoding(rawValue: name) else {
            throw DecodingFailure("its coding \(name.prefix(40)) is unknown")
          }
          codings.append(coding)
        }
      }
    }
    guard codings.count <= limit else { throw DecodingFailure("it has more than \(limit) codings") }
    return codings
  }

  private static let limit = 3

  func makeDecoder() throws(DecodingFailure) -> any CodingDecoder {
    switch self {
    case .gzip: try ZlibDecoder(.gzip)
    case .deflate: DeflateDecoder()
    case .br: try BrotliDecoder()
    case .zstd: try ZstdDecoder()
    }
  }
}

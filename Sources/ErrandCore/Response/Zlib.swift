import CZlib

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Decodes one content coding, step by step.
package protocol CodingDecoder: AnyObject {
  /// Decodes from `input`, which may be empty, into `output`, which is not. If `output` is filled exactly,
  /// more output may follow without further input.
  func step(
    _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) throws(DecodingFailure) -> (read: Int, written: Int)

  /// True if the coded data may end here.
  var isWhole: Bool { get }
}

/// The reason why a body cannot be decoded, as a clause about the body.
package struct DecodingFailure: Error, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }
}

/// Decodes with zlib's inflate, in one of three wrappings.
@safe package final class ZlibDecoder: CodingDecoder {
  package enum Wrapping: Int32 {
    /// RFC 1952. Several members in sequence are allowed.
    case gzip = 31
    /// RFC 1950.
    case zlib = 15
    /// RFC 1951.
    case none = -15
  }

  private static let gzipMagic: UInt8 = 0x1F

  private let wrapping: Wrapping
  // zlib keeps a pointer back to its stream, so the stream must not move.
  private let stream: UnsafeMutablePointer<z_stream>
  package private(set) var isWhole = false

  package init(_ wrapping: Wrapping) throws(DecodingFailure) {
    self.wrapping = wrapping
    unsafe stream = .allocate(capacity: 1)
    unsafe stream.initialize(to: z_stream())
    guard unsafe errand_inflate_init(stream, wrapping.rawValue) == Z_OK else {
      throw DecodingFailure("the system has too little memory to decode it")
    }
  }

  deinit {
    unsafe inflateEnd(stream)
    unsafe stream.deallocate()
  }

  package func step(
    _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) throws(DecodingFailure) -> (read: Int, written: Int) {
    if isWhole {
      guard let first = unsafe input.first else { return (0, 0) }
      guard wrapping == .gzip, first == Self.gzipMagic, unsafe inflateReset(stream) == Z_OK else {
        throw DecodingFailure("something follows the end of its compressed data")
      }
      isWhole = false
    }
    let source = unsafe input.bindMemory(to: UInt8.self)
    let target = unsafe output.bindMemory(to: UInt8.self)
    unsafe stream.pointee.next_in = UnsafeMutablePointer(mutating: source.baseAddress)
    unsafe stream.pointee.avail_in = UInt32(clamping: source.count)
    unsafe stream.pointee.next_out = target.baseAddress
    unsafe stream.pointee.avail_out = UInt32(clamping: target.count)
    let (before, room) = unsafe (Int(stream.pointee.avail_in), Int(stream.pointee.avail_out))
    switch unsafe inflate(stream, Z_NO_FLUSH) {
    case Z_OK, Z_BUF_ERROR: break
    case Z_STREAM_END: isWhole = true
    case Z_MEM_ERROR: throw DecodingFailure("the system has too little memory to decode it")
    case Z_NEED_DICT: throw DecodingFailure("it needs a dictionary")
    default:
      throw DecodingFailure(
        unsafe stream.pointee.msg.map { unsafe String(cString: $0) } ?? "its data is damaged")
    }
    return unsafe (before - Int(stream.pointee.avail_in), room - Int(stream.pointee.avail_out))
  }
}

/// Expands a compressed body. An empty body stays empty, as in a transport's decoder.
final class ZlibFilter: BodyFilter {
  private static let pieceSize = 128 << 10

  private let decoder: Locked<Decoder>

  fileprivate struct Decoder {
    let zlib: ZlibDecoder
    var input = Data()
    /// True if more output may follow without further input.
    var isPending = false
    var hasBegun = false
  }

  init() throws(DecodingFailure) { decoder = Locked(Decoder(zlib: try ZlibDecoder(.gzip))) }

  func put(_ bytes: Data) {
    guard !bytes.isEmpty else { return }
    decoder.withLock { decoder in
      decoder.input.append(bytes)
      decoder.hasBegun = true
    }
  }

  func end() throws {
    let isWhole = decoder.withLock { !$0.hasBegun || $0.zlib.isWhole }
    if !isWhole { throw Self.error(DecodingFailure("it ends too soon")) }
  }

  func take() throws -> Data? {
    do {
      return try decoder.withLock { try $0.take(Self.pieceSize) }
    } catch let failure as DecodingFailure {
      throw Self.error(failure)
    }
  }

  static func error(_ failure: DecodingFailure) -> RequestError {
    RequestError(
      .badEncoding, message: "the response's body cannot be decoded: \(failure)", reachedServer: true)
  }
}

extension ZlibFilter.Decoder {
  fileprivate mutating func take(_ size: Int) throws -> Data? {
    while !input.isEmpty || isPending {
      var piece = Data(count: size)
      let (zlib, input) = (zlib, input)
      let step = try unsafe piece.withUnsafeMutableBytes { output in
        try unsafe input.withUnsafeBytes { try unsafe zlib.step($0, into: output) }
      }
      self.input = step.read == input.count ? Data() : input.dropFirst(step.read)
      let wasPending = isPending
      isPending = step.written == size
      if step.written > 0 { return piece.prefix(step.written) }
      guard step.read > 0 || wasPending else { throw DecodingFailure("its data is damaged") }
    }
    return nil
  }
}

import CBrotli
import CZlib
import CZstd

/// Decodes one content coding, step by step.
protocol CodingDecoder: AnyObject {
  /// Decodes from `input`, which may be empty, into `output`, which is not. If `output` is filled exactly,
  /// more may follow without further input.
  func step(
    _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) throws(DecodingFailure) -> (read: Int, written: Int)

  /// True if the coded data may end here.
  var isWhole: Bool { get }
}

/// Decodes with zlib's inflate, in one of three wrappings.
final class ZlibDecoder: CodingDecoder {
  enum Wrapping: Int32 {
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
  private(set) var isWhole = false

  init(_ wrapping: Wrapping) throws(DecodingFailure) {
    self.wrapping = wrapping
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    guard errand_inflate_init(stream, wrapping.rawValue) == Z_OK else {
      throw DecodingFailure("there is no memory to decode it")
    }
  }

  deinit {
    inflateEnd(stream)
    stream.deallocate()
  }

  func step(
    _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) throws(DecodingFailure) -> (read: Int, written: Int) {
    if isWhole {
      guard let first = input.first else { return (0, 0) }
      guard wrapping == .gzip, first == Self.gzipMagic, inflateReset(stream) == Z_OK else {
        throw DecodingFailure("something follows the end of its compressed data")
      }
      isWhole = false
    }
    let source = input.bindMemory(to: UInt8.self)
    let target = output.bindMemory(to: UInt8.self)
    stream.pointee.next_in = UnsafeMutablePointer(mutating: source.baseAddress)
    stream.pointee.avail_in = UInt32(clamping: source.count)
    stream.pointee.next_out = target.baseAddress
    stream.pointee.avail_out = UInt32(clamping: target.count)
    let (before, room) = (Int(stream.pointee.avail_in), Int(stream.pointee.avail_out))
    switch inflate(stream, Z_NO_FLUSH) {
    case Z_OK, Z_BUF_ERROR: break
    case Z_STREAM_END: isWhole = true
    case Z_MEM_ERROR: throw DecodingFailure("there is no memory to decode it")
    case Z_NEED_DICT: throw DecodingFailure("it needs a dictionary")
    default:
      throw DecodingFailure(stream.pointee.msg.map { String(cString: $0) } ?? "its data is damaged")
    }
    return (before - Int(stream.pointee.avail_in), room - Int(stream.pointee.avail_out))
  }
}

/// Decodes `deflate`: with zlib's wrapping, or raw as some servers send it. The first two bytes tell which.
final class DeflateDecoder: CodingDecoder {
  private var decoder: ZlibDecoder?
  private var head: [UInt8] = []

  var isWhole: Bool { decoder?.isWhole ?? false }

  func step(
    _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) throws(DecodingFailure) -> (read: Int, written: Int) {
    var taken = 0
    if decoder == nil {
      let first = input.prefix(2 - head.count)
      head += first
      taken = first.count
      guard head.count == 2 else { return (taken, 0) }
      decoder = try ZlibDecoder(Self.isZlib(head[0], head[1]) ? .zlib : .none)
    }
    guard let decoder, !head.isEmpty else { return try self.decoder?.step(input, into: output) ?? (0, 0) }
    let result = head.withUnsafeBytes { bytes in
      Result { () throws(DecodingFailure) in try decoder.step(bytes, into: output) }
    }
    let first = try result.get()
    head.removeFirst(first.read)
    return (taken, first.written)
  }

  private static func isZlib(_ first: UInt8, _ second: UInt8) -> Bool {
    first & 0x0F == 8 && first >> 4 <= 7 && (Int(first) << 8 | Int(second)) % 31 == 0
  }
}

/// Decodes brotli (RFC 7932), whose window is at most 16 MiB.
final class BrotliDecoder: CodingDecoder {
  private let state: OpaquePointer
  private(set) var isWhole = false

  init() throws(DecodingFailure) {
    guard let state = BrotliDecoderCreateInstance(nil, nil, nil) else {
      throw DecodingFailure("there is no memory to decode it")
    }
    self.state = state
  }

  deinit { BrotliDecoderDestroyInstance(state) }

  func step(
    _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) throws(DecodingFailure) -> (read: Int, written: Int) {
    if isWhole {
      guard input.isEmpty else { throw DecodingFailure("something follows the end of its compressed data") }
      return (0, 0)
    }
    var source = input.bindMemory(to: UInt8.self).baseAddress
    var target = output.bindMemory(to: UInt8.self).baseAddress
    var (left, room) = (input.count, output.count)
    switch BrotliDecoderDecompressStream(state, &left, &source, &room, &target, nil) {
    case BROTLI_DECODER_RESULT_SUCCESS: isWhole = true
    case BROTLI_DECODER_RESULT_NEEDS_MORE_INPUT, BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT: break
    default:
      let reason = BrotliDecoderErrorString(BrotliDecoderGetErrorCode(state))
      throw DecodingFailure("its data is damaged (\(reason.map { String(cString: $0) } ?? "brotli"))")
    }
    return (input.count - left, output.count - room)
  }
}

/// Decodes Zstandard (RFC 8878). Several frames in sequence are allowed.
final class ZstdDecoder: CodingDecoder {
  /// The greatest window of the content coding: 8 MiB (RFC 9659).
  private static let maxWindowLog: Int32 = 23

  private let stream: OpaquePointer
  private(set) var isWhole = false

  init() throws(DecodingFailure) {
    guard let stream = ZSTD_createDStream() else {
      throw DecodingFailure("there is no memory to decode it")
    }
    self.stream = stream
    ZSTD_DCtx_setParameter(stream, ZSTD_d_windowLogMax, Self.maxWindowLog)
  }

  deinit { ZSTD_freeDStream(stream) }

  func step(
    _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) throws(DecodingFailure) -> (read: Int, written: Int) {
    // After a frame no output is left; without input the decoder would only ask for the next frame.
    if isWhole, input.isEmpty { return (0, 0) }
    var source = ZSTD_inBuffer(src: input.baseAddress, size: input.count, pos: 0)
    var target = ZSTD_outBuffer(dst: output.baseAddress, size: output.count, pos: 0)
    let code = ZSTD_decompressStream(stream, &target, &source)
    guard ZSTD_isError(code) == 0 else {
      throw DecodingFailure("its data is damaged (\(String(cString: ZSTD_getErrorName(code))))")
    }
    isWhole = code == 0
    return (source.pos, target.pos)
  }
}

import CBrotli
import CZstd
import ErrandCore

/// Decodes `deflate`: with zlib's wrapping, or raw, as some servers send it. The first two bytes show which.
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
      throw DecodingFailure("decoding it needs more memory than is available")
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
      throw DecodingFailure("decoding it needs more memory than is available")
    }
    self.stream = stream
    ZSTD_DCtx_setParameter(stream, ZSTD_d_windowLogMax, Self.maxWindowLog)
  }

  deinit { ZSTD_freeDStream(stream) }

  func step(
    _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) throws(DecodingFailure) -> (read: Int, written: Int) {
    // After a frame, no output is left. Without input, the decoder would only ask for the next frame.
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

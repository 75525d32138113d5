import CZstd

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

import CBrotli

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

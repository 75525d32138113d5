#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

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

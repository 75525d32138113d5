import CZlib

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

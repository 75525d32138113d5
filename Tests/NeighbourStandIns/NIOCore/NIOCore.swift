// Stands in for swift-nio 2.81 (NIOCore): the declarations that the integrations use. The buffer works; the event loops are
// declared only.

public protocol EventLoopGroup: AnyObject, Sendable {}

public struct TimeAmount: Hashable, Sendable {
  public let nanoseconds: Int64

  public static func seconds(_ amount: Int64) -> TimeAmount {
    TimeAmount(nanoseconds: amount * 1_000_000_000)
  }
}

public struct NIODeadline: Hashable, Sendable {
  public let uptimeNanoseconds: UInt64

  public static let distantFuture = NIODeadline(uptimeNanoseconds: UInt64(Int64.max))
}

public enum ChannelError: Error {
  case connectTimeout(TimeAmount)
  case eof
}

public struct ByteBufferView: RandomAccessCollection, Sendable {
  public typealias Element = UInt8
  public typealias Index = Int

  fileprivate let bytes: ArraySlice<UInt8>

  public var startIndex: Int { bytes.startIndex }
  public var endIndex: Int { bytes.endIndex }
  public subscript(position: Int) -> UInt8 { bytes[position] }
  public func withContiguousStorageIfAvailable<R>(_ body: (UnsafeBufferPointer<UInt8>) throws -> R) rethrows
    -> R?
  {
    try bytes.withContiguousStorageIfAvailable(body)
  }
}

public struct ByteBuffer: Sendable, Equatable {
  private var bytes: [UInt8] = []

  public init() {}

  public init<Bytes: Sequence>(bytes: Bytes) where Bytes.Element == UInt8 { self.bytes = Array(bytes) }

  public var readableBytes: Int { bytes.count }
  public var readableBytesView: ByteBufferView { ByteBufferView(bytes: bytes[...]) }

  @discardableResult
  public mutating func writeWithUnsafeMutableBytes(
    minimumWritableBytes: Int, _ body: (UnsafeMutableRawBufferPointer) throws -> Int
  ) rethrows -> Int {
    let count = bytes.count
    bytes.append(contentsOf: [UInt8](repeating: 0, count: minimumWritableBytes))
    var written = 0
    defer { bytes.removeLast(bytes.count - count - written) }
    written = try bytes.withUnsafeMutableBytes { space in
      try body(UnsafeMutableRawBufferPointer(rebasing: space[count...]))
    }
    return written
  }
}

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The body of one try, opened for reading.
public enum Upload: Sendable {
  case none
  case bytes(Data)
  case reader(any BodyReader)

  /// The length in bytes, or nil if it is not known before the end.
  public var length: Int64? {
    switch self {
    case .none: 0
    case .bytes(let data): Int64(data.count)
    case .reader(let reader): reader.length
    }
  }
}

/// A body that is read piece by piece, by one reader, on the transport's thread.
public protocol BodyReader: AnyObject, Sendable {
  /// The length in bytes, or nil if it is not known before the end.
  var length: Int64? { get }

  /// Fills the front of `buffer`. It does not wait: `.notYet` means that `onReady`'s handler will be called.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws -> BodyRead

  /// Sets what is called, on any thread, when there is something to read after a `.notYet`.
  func onReady(_ handler: @escaping @Sendable () -> Void)

  /// Nobody reads any more.
  func close()
}

/// What one read of a body brought.
public enum BodyRead: Sendable, Hashable {
  case bytes(Int)
  case notYet
  case end
}

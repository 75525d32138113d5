#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A body that is opened anew for each attempt. Two sources are equal only if they are the same object.
final class BodySource: Sendable, Hashable {
  let length: Int64?
  let open: @Sendable () throws -> any BodyReader

  init(length: Int64?, open: @escaping @Sendable () throws -> any BodyReader) {
    self.length = length
    self.open = open
  }

  static func == (left: BodySource, right: BodySource) -> Bool { left === right }
  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// The body of one attempt, opened for reading.
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

  /// Fills the front of `buffer`. Does not wait: after `.notYet`, the handler of `onReady` will be called.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws -> BodyRead

  /// Sets the handler that is called, on any thread, when bytes are available after a `.notYet`.
  func onReady(_ handler: @escaping @Sendable () -> Void)

  /// Releases the body; it is read no further.
  func close()
}

extension BodyReader {
  /// Fills the front of `buffer` as `read(into:)` does.
  /// - Throws: Also if the reader says that it wrote more than there is room for.
  package func fill(_ buffer: UnsafeMutableRawBufferPointer) throws -> BodyRead {
    let read = try unsafe read(into: buffer)
    if case .bytes(let count) = read, !(0...buffer.count).contains(count) {
      throw RequestError(
        .invalidRequest,
        message: "the reader of the body returned \(count) bytes, and had room for \(buffer.count)",
        reachedServer: true)
    }
    return read
  }
}

/// The result of one read of a body.
public enum BodyRead: Sendable, Hashable {
  case bytes(Int)
  case notYet
  case end
}

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A body that each attempt opens again. Two sources are equal only if they are the same object.
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
  /// No body.
  case none
  /// A body in memory.
  case bytes(Data)
  /// A body that is read piece by piece, such as a file.
  case reader(any BodyReader)

  /// The length in bytes; nil if it is known only at the end.
  public var length: Int64? {
    switch self {
    case .none: 0
    case .bytes(let data): Int64(data.count)
    case .reader(let reader): reader.length
    }
  }

  /// True if the body has trailers, which are sent after it (RFC 9110, section 6.5).
  public var hasTrailers: Bool {
    if case .reader(let reader) = self { reader.trailers != nil } else { false }
  }
}

/// A body that one consumer, the transport's thread, reads piece by piece.
public protocol BodyReader: AnyObject, Sendable {
  /// The length in bytes; nil if it is known only at the end.
  var length: Int64? { get }

  /// Reads the next bytes into the front of `buffer`, without waiting. After `.notYet`, the reader calls the
  /// handler of `onReady` when there is more.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws -> BodyRead

  /// Sets the handler that is called, on any thread, when bytes are available after a `.notYet`.
  func onReady(_ handler: @escaping @Sendable () -> Void)

  /// The fields to send after the body, checked, in order. They are complete when `read(into:)` has returned
  /// `.end`, and empty before. Nil for a body without trailers, which is the default.
  var trailers: HTTPFields? { get }

  /// Releases the body. No read follows.
  func close()
}

/// A reader of a body that is told about the interim responses (1xx) to its request, which may arrive while the
/// body is sent.
package protocol InterimReader: BodyReader {
  /// Takes an interim response other than 100 and 101. Called on the transport's thread, between two reads.
  func received(interim head: ResponseHead)

  /// Returns true if the rest of the body is not needed, although the response with this head is a success.
  func ends(at head: ResponseHead) -> Bool
}

extension BodyReader {
  /// Nil: the body has no trailers.
  public var trailers: HTTPFields? { nil }

  /// Fills the front of `buffer` as `read(into:)` does.
  /// - Throws: The reader's error, and `RequestError` if the reader reports more bytes than fit into
  ///   `buffer`.
  package func fill(_ buffer: UnsafeMutableRawBufferPointer) throws -> BodyRead {
    let read = try unsafe read(into: buffer)
    if case .bytes(let count) = read, !(0...buffer.count).contains(count) {
      throw RequestError(
        .invalidRequest,
        message: "the reader of the body reported \(count) bytes for a buffer of \(buffer.count)",
        reachedServer: true)
    }
    return read
  }
}

/// The result of one read of a body.
public enum BodyRead: Sendable, Hashable {
  /// This number of bytes was read into the buffer.
  case bytes(Int)
  /// No bytes are available yet. The handler of `onReady` is called when there are some.
  case notYet
  /// The body has ended.
  case end
}

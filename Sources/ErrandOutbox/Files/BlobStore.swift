public import ErrandCore

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Where an outbox keeps the bodies that are too large for their rows: files, and bytes over 64 KiB.
/// `BlobFolder` keeps them in a folder of this machine; a store that several machines share needs another.
///
/// A blob exists before the row that names it, and is removed after it. In between, the `StoredBlob` that `put`
/// returned holds it: only blobs that are not held, in any process, and belong to no row are swept.
///
/// All methods may be called at once, from any task, and do not block its thread, except those that say so.
/// `BlobStoreConformance` (in `ErrandConformance`) has every rule as a test.
public protocol BlobStore: Sendable {
  /// Where the blobs are, for messages.
  var location: String { get }

  /// Stores bodies, all or none. They are durable when this returns.
  /// - Returns: A blob for each, in the same order.
  /// - Throws: `OutboxError`: `.fileUnreadable` as `BlobSource` throws it, `.diskFull`, `.notWritable`; or
  ///   `CancellationError`.
  func put(_ sources: [BlobSource]) async throws -> [StoredBlob]

  /// Opens a blob for reading. A blob that has changed since it was stored must not be read to its end: the
  /// reader throws before it returns the last bytes. May block for as long as opening a file takes.
  /// - Parameter size: The number of bytes that were stored.
  /// - Throws: `OutboxError.fileUnreadable` or `.damaged`, or `RequestError.fileUnreadable`, if the blob is missing, or has
  ///   another size: the request cannot be sent. Any other error says that the store cannot be read now, and the request is
  ///   sent later.
  func open(_ name: String, size: Int64) throws -> any BodyReader

  /// Checks that a blob is there and has this size, without opening it. May block as `open` does.
  func check(_ name: String, size: Int64) throws

  /// Removes blobs that belong to no row any more. What cannot be removed is swept later.
  func remove(_ names: [String]) async

  /// Removes blobs that ended processes left behind. In a package without the upcoming feature
  /// `NonisolatedNonsendingByDefault`, the closure's type is spelled
  /// `nonisolated(nonsending) ([String]) async throws -> Set<String>`.
  /// - Parameter used: Returns which of these blobs belong to a row. A blob is removed only if it was not held
  ///   before this was asked about it.
  /// - Returns: The names of the removed blobs, and of what was begun and not completed.
  @discardableResult
  func sweep(used: ([String]) async throws -> Set<String>) async throws -> [String]

  /// Returns the value that was set under a name; nil if none was.
  func value(_ name: String) async throws -> Data?

  /// Stores a small value durably under a name, unless there is one: the first one stays.
  func setValue(_ data: Data, _ name: String) async throws
}

/// A stored body that no row names yet. It is not swept while this value exists.
public struct StoredBlob: Sendable {
  public let name: String
  /// The number of bytes.
  public let size: Int64
  /// The object that keeps the blob from being swept.
  private let hold: any AnyObject & Sendable

  /// - Parameters:
  ///   - name: Names this blob and no other, ever: 1 to 200 ASCII letters, digits and `-`, `_`, `.`, not
  ///     beginning with a dot.
  ///   - hold: An object whose release lets the blob be swept.
  public init(name: String, size: Int64, hold: any AnyObject & Sendable) {
    precondition(Self.isName(name), "a blob cannot be named \(name.debugDescription)")
    self.name = name
    self.size = size
    self.hold = hold
  }

  /// True if a row may name a blob so: a name never leads out of a folder.
  static func isName(_ name: String) -> Bool {
    (1...200).contains(name.utf8.count) && !name.hasPrefix(".")
      && name.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
          UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
          true
        default: false
        }
      }
  }
}

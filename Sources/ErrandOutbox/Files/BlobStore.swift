package import ErrandCore

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// Stores the bodies that are too large for their rows: files, and bytes over 64 KiB. `BlobFolder` keeps them
/// in a folder of this machine. If several machines share a store, they need another blob store.
///
/// A blob exists before the row that names it, and is removed after that row. Before the row exists, the
/// `StoredBlob` that `put` returned holds the blob. A sweep removes only blobs that no process holds and that
/// belong to no row.
///
/// Any task may call any method at any time. Methods do not block the caller's thread, except those that say
/// so. `BlobStoreConformance` (in `ErrandConformance`) tests every rule.
package protocol BlobStore: Sendable {
  /// The place of the blobs, for messages.
  var location: String { get }

  /// Stores bodies, all or none. They are durable when this returns.
  /// - Returns: A blob for each body, in the same order.
  /// - Throws: `OutboxError`: `.fileUnreadable` as `BlobSource` throws it, `.diskFull`, `.notWritable`; or
  ///   `CancellationError`.
  func put(_ sources: [BlobSource]) async throws -> [StoredBlob]

  /// Opens a blob for reading. A blob that has changed since it was stored must not be read to its end: the
  /// reader throws before it returns the last bytes. May block for as long as opening a file takes.
  /// - Parameter size: The number of bytes that were stored.
  /// - Throws: `OutboxError.fileUnreadable` or `.damaged`, or `RequestError.fileUnreadable`, if the blob is
  ///   missing or has another size: the request cannot be sent. After any other error the request is sent
  ///   later, because the store may be readable then.
  func open(_ name: String, size: Int64) throws -> any BodyReader

  /// Checks that a blob exists and has this size, without opening it. May block as `open` does.
  func check(_ name: String, size: Int64) throws

  /// Removes blobs that belong to no row any more. A blob that cannot be removed is swept later.
  func remove(_ names: [String]) async

  /// Removes blobs that ended processes left behind. In a package without the upcoming feature
  /// `NonisolatedNonsendingByDefault`, the type of the closure is `nonisolated(nonsending) ([String]) async
  /// throws -> Set<String>`.
  /// - Parameter used: Returns the given blobs that belong to a row. A blob is removed only if it was not
  ///   held before this call about it.
  /// - Returns: The names of the removed blobs, and of incomplete ones.
  @discardableResult
  func sweep(used: ([String]) async throws -> Set<String>) async throws -> [String]

  /// Returns the value with this name; nil if it was not set.
  func value(_ name: String) async throws -> Data?

  /// Stores a small value durably under a name, unless the name has a value already.
  func setValue(_ data: Data, _ name: String) async throws
}

/// A stored body that no row names yet. A sweep keeps it while this value exists.
package struct StoredBlob: Sendable {
  /// The name of the blob.
  package let name: String
  /// The number of bytes.
  package let size: Int64
  /// The object that keeps the blob from being swept.
  private let hold: any AnyObject & Sendable

  /// Creates a value for a stored blob.
  /// - Parameters:
  ///   - name: Names this blob and no other, ever: 1 to 200 ASCII letters, digits and `-`, `_`, `.`, not
  ///     beginning with a dot.
  ///   - size: The number of bytes.
  ///   - hold: An object whose release lets the blob be swept.
  package init(name: String, size: Int64, hold: any AnyObject & Sendable) {
    precondition(Self.isName(name), "\(name.debugDescription) is not a valid name of a blob")
    self.name = name
    self.size = size
    self.hold = hold
  }

  /// True if this is a valid name of a blob: it never leads out of a folder.
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

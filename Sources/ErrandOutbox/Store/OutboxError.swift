import ErrandCore

/// Why an outbox operation failed. `description` says what happened and what to do; it shows no secret.
public struct OutboxError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kind of failure. Later versions may add more, so keep a `default` case.
  public struct Code: Sendable, Hashable, CustomStringConvertible {
    /// The name of the code.
    package let rawValue: String
    /// Creates a code with this name.
    package init(rawValue: String) { self.rawValue = rawValue }
    public var description: String { rawValue }

    /// The request would exceed the outbox's caps. Nothing was stored.
    public static let full = Code(rawValue: "full")
    /// The outbox knows a request with this id already, and the item said `IfKnown.refuse`; or the item
    /// cannot replace it.
    public static let known = Code(rawValue: "known")
    /// The request cannot be stored: its body is a stream, it has a credential, or its body cannot be made.
    public static let notStorable = Code(rawValue: "notStorable")
    /// A file of the request cannot be read.
    public static let fileUnreadable = Code(rawValue: "fileUnreadable")
    /// The disk is full. Nothing was stored, and everything that was stored before is still there.
    public static let diskFull = Code(rawValue: "diskFull")
    /// The folder or a file in it is missing, or must not be written.
    public static let notWritable = Code(rawValue: "notWritable")
    /// Another process locked the store for too long.
    public static let busy = Code(rawValue: "busy")
    /// The store's file is damaged.
    public static let damaged = Code(rawValue: "damaged")
    /// A newer version of Errand wrote the store's file. This version did not change it.
    public static let tooNew = Code(rawValue: "tooNew")
    /// The key is missing, is not 32 bytes long, or is not the one that encrypted the stored requests. Or the
    /// outbox has a key, and the stored requests are not encrypted.
    public static let wrongKey = Code(rawValue: "wrongKey")
    /// The lines to import are not in the format of an export.
    public static let badImport = Code(rawValue: "badImport")
    /// The outbox was closed.
    public static let closed = Code(rawValue: "closed")
    /// The request ended so long ago that the outbox has no record of it any more.
    public static let forgotten = Code(rawValue: "forgotten")
    /// The store's server did not confirm in time that the change was made. Repeat the operation with the
    /// same id: the change is made once.
    public static let unconfirmed = Code(rawValue: "unconfirmed")
    /// The system failed in another way.
    public static let failed = Code(rawValue: "failed")
  }

  /// The kind of failure.
  public let code: Code
  /// The cause, and what to do about it.
  public let message: String

  /// Creates an error with a message that says what happened and what to do.
  package init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  public var description: String { LogText.line(message) }

  /// Returns the error for an item whose id the outbox knows already.
  /// - Parameters:
  ///   - state: The state of the stored request.
  ///   - isReplacing: True if the item was to replace the stored request.
  package static func known(_ id: OutboxID, _ state: OutboxState, isReplacing: Bool) -> OutboxError {
    guard isReplacing else {
      return OutboxError(
        .known, "the outbox knows a request with the id \(id) already: it is \(state); use another id")
    }
    return OutboxError(
      .known,
      "request \(id) cannot be replaced: it is \(state), and only a stored request or a dead letter can be; use "
        + "another id")
  }
}

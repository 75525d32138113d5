/// Why an outbox operation failed. `description` is a sentence to act on; it shows no secret.
public struct OutboxError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kind of failure. More may be added, so keep a `default`.
  public struct Code: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public var description: String { rawValue }

    /// The outbox has no capacity for the request, by its caps. Nothing was stored.
    public static let full = Code(rawValue: "full")
    /// A request with this id is there already, and was not to be; or the newer one cannot take its place.
    public static let known = Code(rawValue: "known")
    /// The request cannot be stored: a stream, a credential, a body that cannot be made.
    public static let notStorable = Code(rawValue: "notStorable")
    /// A file of the request cannot be read.
    public static let fileUnreadable = Code(rawValue: "fileUnreadable")
    /// The disk is full. Nothing was stored, and nothing that was stored before is lost.
    public static let diskFull = Code(rawValue: "diskFull")
    /// The folder or a file in it may not be written, or is missing.
    public static let notWritable = Code(rawValue: "notWritable")
    /// Another process held the store for too long.
    public static let busy = Code(rawValue: "busy")
    /// The store's file is damaged.
    public static let damaged = Code(rawValue: "damaged")
    /// A newer version of Errand wrote the store's file. It was not touched.
    public static let tooNew = Code(rawValue: "tooNew")
    /// The key is missing, has not 32 bytes, or is not the one that encrypted the stored requests; or there
    /// is a key, and they are not encrypted.
    public static let wrongKey = Code(rawValue: "wrongKey")
    /// The lines to import are not what was exported.
    public static let badImport = Code(rawValue: "badImport")
    /// The outbox was closed.
    public static let closed = Code(rawValue: "closed")
    /// The request was over so long ago that nothing is known of it any more.
    public static let forgotten = Code(rawValue: "forgotten")
    /// The store's server did not say in time whether the change was made. Asking again, with the same id, makes it once.
    public static let unconfirmed = Code(rawValue: "unconfirmed")
    /// The system failed in another way.
    public static let failed = Code(rawValue: "failed")
  }

  public let code: Code
  /// The cause, and what to do about it.
  public let message: String

  public init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  public var description: String { message }

  /// - Parameters:
  ///   - state: The state of the request that is there.
  ///   - isReplacing: True if the newer request was to take its place.
  package static func known(_ id: OutboxID, _ state: OutboxState, isReplacing: Bool) -> OutboxError {
    guard isReplacing else {
      return OutboxError(
        .known, "the outbox knows a request with the id \(id) already: it is \(state); take another id")
    }
    return OutboxError(
      .known,
      "request \(id) cannot be replaced: it is \(state), and only one that waits or is a dead letter can be; take "
        + "another id")
  }
}

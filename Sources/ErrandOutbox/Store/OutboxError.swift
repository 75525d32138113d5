/// Why an outbox could not do what it was asked. `description` is a sentence to act on; it shows no secret.
public struct OutboxError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What kind of failure. More may come, so keep a `default`.
  public struct Code: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public var description: String { rawValue }

    /// It has no room for the request, by its caps. Nothing was stored.
    public static let full = Code(rawValue: "full")
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
    /// What is stored is encrypted, and there is no key or another one.
    public static let wrongKey = Code(rawValue: "wrongKey")
    /// What is to be imported is not what was exported.
    public static let badImport = Code(rawValue: "badImport")
    /// The outbox was closed.
    public static let closed = Code(rawValue: "closed")
    /// It was over so long ago that nothing is known of it any more.
    public static let forgotten = Code(rawValue: "forgotten")
    /// The system failed in another way.
    public static let failed = Code(rawValue: "failed")
  }

  public let code: Code
  /// What happened, and what to do about it.
  public let message: String

  public init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  public var description: String { message }
}

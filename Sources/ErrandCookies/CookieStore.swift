public import ErrandCore

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The cookies of a client, kept and sent as browsers do (RFC 6265bis, draft 15): by domain and path, until
/// they expire, at most 400 days. Thread-safe; the same on every transport.
///
/// ```swift
/// let store = CookieStore(file: folder.appending(path: "cookies.jsonl"))
/// for cookie in store.cookies { print(cookie.domain, cookie.name) }
/// ```
///
/// - A cookie with `Secure` is sent over https only, or to this machine (`localhost`, `127.0.0.1`, `::1`),
///   and none that came over plain http takes its place.
/// - No cookie is for all hosts of a public suffix, such as `com`, `co.uk` or `github.io`. Linux knows them
///   from libpsl. On Apple's platforms there is no list: every domain without a dot is one, and no other, so
///   hosts under `co.uk` can set each other's cookies there, and share one limit.
/// - `SameSite` does not matter: it compares the site of a page with that of a request, and a client has no
///   page. All cookies are sent. (One with `SameSite=None` has to be `Secure`, as everywhere.)
/// - There are limits (`CookieLimits`), so no server fills the memory or the disk.
///
/// ## In a file
///
/// The file holds JSON lines, readable by this user only. Several processes may use it at once, with the same
/// settings: each sees what the others have written at its next request. It is replaced as a whole, so it is
/// never half written, whenever a process or the machine ends. A cookie that a response sets counts at once,
/// and is written a moment later; ``flush()`` waits for that.
///
/// A file of Errand's that is damaged is moved to a free path that begins with its own and `.damaged`, and reported;
/// nothing of it is used. When each cookie was last sent is written only along with other changes. A file of anything
/// else, or a symbolic link, is reported, and left as it is. A process that was stopped while it wrote holds the file's lock: a response waits for that 5 s, once, and
/// never longer than its call.
///
/// The file may also be a cookies.txt (Netscape's format), as curl, wget and exporters of browsers write it. The store
/// knows it by its content, and writes it in the same format: with session cookies, with its comments, and with its
/// permissions, but without `SameSite` and the times at which cookies were received and used. To begin such a file, write
/// the line `# Netscape HTTP Cookie File` into it.
///
/// The cookies of identities other than nil are in a folder beside the file, whose name ends with
/// `.partitions`. The files hold credentials: keep them out of backups that others can read.
public final class CookieStore: Sendable {
  private let partitions: CookiePartitions
  private let partition: CookiePartition

  /// Creates a store in memory. Its cookies are lost when it is released.
  public convenience init(limits: CookieLimits = CookieLimits()) {
    self.init(limits: limits, date: { Date() })
  }

  /// Creates a store in a file, without touching the disk: the file is read at the first request, and written
  /// with the first cookie.
  ///
  /// - Parameters:
  ///   - file: The file's path. A missing folder is made, accessible to this user only.
  ///   - limits: How many cookies are kept, of each identity.
  ///   - keepsSessionCookies: True to write cookies without an end to the file, too: they stay until they are
  ///     removed or replaced. Default: false; they are lost when the process ends.
  ///   - onProblem: Called with each problem found with the file, on a queue of the store's own.
  public convenience init(
    file: URL, limits: CookieLimits = CookieLimits(), keepsSessionCookies: Bool = false,
    onProblem: @escaping @Sendable (CookieFileProblem) -> Void = { _ in }
  ) {
    self.init(
      path: file.path, limits: limits, keepsSessionCookies: keepsSessionCookies, date: { Date() },
      onProblem: onProblem)
  }

  convenience init(
    path: String? = nil, limits: CookieLimits = CookieLimits(), suffixes: PublicSuffixes = .system,
    keepsSessionCookies: Bool = false, date: @escaping @Sendable () -> Date,
    onProblem: @escaping @Sendable (CookieFileProblem) -> Void = { _ in }
  ) {
    let settings = CookieSettings(
      limits: limits.clamped, suffixes: suffixes, keepsSessionCookies: keepsSessionCookies, date: date,
      report: onProblem)
    self.init(CookiePartitions(path: path, settings), .none)
  }

  private init(_ partitions: CookiePartitions, _ partition: CookiePartition) {
    self.partitions = partitions
    self.partition = partition
  }

  /// Returns the store of one identity: cookies are never shared between identities, and each has limits of
  /// its own. It is a view of the same memory or files, and costs next to nothing to make.
  /// - Parameter identity: For example a user's ID; nil for the cookies of no identity, which are this
  ///   store's unless it is a partition itself. It appears in no file: its digest (SHA-256) is a file's name.
  public func partition(for identity: String?) -> CookieStore {
    CookieStore(partitions, CookiePartition(of: identity))
  }

  /// All cookies that have not expired, from the oldest to the newest. Reads the file if another process has
  /// replaced it.
  public var cookies: [Cookie] { entries.map(\.cookie) }

  /// Returns the cookies that a request would be sent with, in their order. Reads the file as `cookies` does.
  public func cookies(for url: URL) -> [Cookie] {
    guard let url = CookieURL(url) else { return [] }
    let now = partitions.settings.date()
    return partitions.use(partition) { $0.jar.entries(for: url, at: now) }.map(\.cookie)
  }

  /// Sets a cookie, in the place of one with the same name, domain and path. It expires in 400 days at the
  /// latest; one that has expired already only removes the other.
  ///
  /// - Throws: `CookieError` if no server could set it; `FileError` if it cannot be written, but then it
  ///   counts for this process, and is written with the next change.
  public func set(_ cookie: Cookie) async throws {
    let cookie = cookie.withDomainInASCII
    if let problem = cookie.problem { throw CookieError(cookie, problem) }
    guard partitions.use(partition, { $0.jar.mayKeep(cookie) }) else {
      throw CookieError(
        cookie, "its domain is a public suffix or an address; make it host-only, or name a domain below it")
    }
    try await partitions.write(partition, .set(cookie))
  }

  /// Removes all cookies that match.
  /// - Throws: What `matches` throws; `FileError` as `set` does.
  public func remove(where matches: (Cookie) throws -> Bool) async throws {
    let found = try entries.filter { try matches($0.cookie) }
    if !found.isEmpty { try await partitions.write(partition, .remove(found)) }
  }

  /// Removes all cookies of this store's identity, from the disk, too, with a file that was set aside.
  /// - Throws: `FileError` as `set` does.
  public func clear() async throws { try await partitions.clear(partition) }

  /// Does the same for all identities.
  public func clearPartitions() async throws { try await partitions.clearAll() }

  /// Returns when all cookies of this store's identity so far are in the file. A program that ends soon after
  /// a response calls this first.
  /// - Throws: `FileError` as `set` does.
  public func flush() async throws { try await partitions.flush(partition) }

  private var entries: [CookieList.Entry] {
    let now = partitions.settings.date()
    return partitions.use(partition) { $0.jar.entries }.filter { !$0.cookie.isExpired(at: now) }
  }
}

extension CookieStore {
  /// True if another program wrote the file and it is not a cookies.txt: then it is neither used nor replaced.
  /// - Throws: `FileError`, if it cannot be read.
  package var hasForeignFile: Bool { get throws { try partitions.hasForeignFile(partition) } }

  /// Returns the value of the `Cookie` field for a request, and records that its cookies were used; nil if
  /// there are none. Reads the file if another process has replaced it.
  package func field(for url: URL, at now: Date) -> String? {
    guard let url = CookieURL(url) else { return nil }
    let entries = partitions.use(partition) { $0.use(for: url, at: now) }
    guard !entries.isEmpty else { return nil }
    return entries.map { $0.cookie.name.isEmpty ? $0.cookie.value : "\($0.cookie.name)=\($0.cookie.value)" }
      .joined(separator: "; ")
  }

  /// Takes the cookies of a response, whatever its status. Does not wait until they are written.
  package func take(_ fields: HTTPFields, from url: URL, at now: Date) {
    let received = fields.values(of: "Set-Cookie").compactMap { SetCookie($0) }
    guard !received.isEmpty, let url = CookieURL(url) else { return }
    partitions.change(partition, .receive(received, from: url), at: now)
  }
}

extension CookieStore: CookieJar {
  public func field(for url: URL, identity: String?, at now: Date) -> String? {
    partition(for: identity).field(for: url, at: now)
  }

  public func receive(
    _ fields: HTTPFields, from url: URL, identity: String?, at now: Date
  ) -> (@Sendable () async throws -> Void)? {
    let own = partition(for: identity)
    own.take(fields, from: url, at: now)
    guard own.partitions.hasFiles else { return nil }
    return { try await own.flush() }
  }
}

extension CookieStore: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The names of the cookies in memory, no values.
  public var description: String {
    let names = partitions.names(partition)
    let shown = names.prefix(20).joined(separator: ", ") + (names.count > 20 ? ", …" : "")
    let count = "\(names.count) \(names.count == 1 ? "cookie" : "cookies")"
    return "CookieStore(\(count)\(names.isEmpty ? "" : ": ")\(shown))"
  }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: ["cookies": description]) }
}

public import ErrandCore

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The cookies of a client, kept and sent as browsers do (RFC 6265bis, draft 15): by domain and path, until
/// they expire, at most 400 days. It is thread-safe, and behaves the same on every transport.
///
/// ```swift
/// let store = CookieStore(file: folder.appending(path: "cookies.jsonl"))
/// for cookie in store.cookies { print(cookie.domain, cookie.name) }
/// ```
///
/// - A cookie with `Secure` is sent only over https, or to this machine (`localhost`, `127.0.0.1`, `::1`). A
///   cookie that came over plain http cannot replace it.
/// - A cookie cannot be for all hosts of a public suffix, such as `com`, `co.uk` or `github.io`. On Linux,
///   libpsl knows the suffixes. On Apple's platforms, which have no list, exactly the domains without a dot
///   are public suffixes. There, hosts under `co.uk` can set each other's cookies, and share one limit.
/// - `SameSite` has no effect, because it compares the site of a page with that of a request, and a client
///   has no page. All cookies are sent. (A cookie with `SameSite=None` has to be `Secure`, as everywhere.)
/// - The number of cookies is limited (`CookieLimits`), so that a server cannot fill the memory or the disk.
///
/// ## In a file
///
/// The file contains JSON lines, and only this user can read it. Several processes may use it at once, with
/// the same settings: each sees the changes of the others at its next request. It is replaced as a whole, so
/// it is never half written, even if a process or the machine stops. A cookie that a response sets takes
/// effect at once, and is written a moment later; ``flush()`` waits for that.
///
/// A damaged file of Errand is moved to an unused path, which begins with its own path and `.damaged`, and
/// reported. No part of it is used. The time at which a cookie was last sent is written only along with other
/// changes. A file with other content, or a symbolic link, is reported and left as it is. A process that was
/// stopped while it wrote holds the file's lock. A response then waits 5 s for it, once, and never longer
/// than its call.
///
/// The file may also be a cookies.txt (Netscape's format), as curl, wget and exporters of browsers write it.
/// The store recognises it by its content, and writes it in the same format. It keeps session cookies, the
/// comments and the permissions of the file, but not `SameSite` or the times at which cookies were received
/// and used. To begin such a file, write the line `# Netscape HTTP Cookie File` into it.
///
/// The cookies of identities other than nil are in a folder beside the file, whose name ends with
/// `.partitions`. The files contain credentials: keep them out of backups that others can read.
public final class CookieStore: Sendable {
  private let partitions: CookiePartitions
  private let partition: CookiePartition

  /// Creates a store in memory. Its cookies are lost when it is released.
  /// - Parameter limits: How many cookies are kept for each identity. Default: `CookieLimits()`.
  public convenience init(limits: CookieLimits = CookieLimits()) {
    self.init(limits: limits, date: { Date() })
  }

  /// Creates a store in a file, without touching the disk. The first request reads the file, and the first
  /// cookie is written to it.
  ///
  /// - Parameters:
  ///   - file: The file's path. A missing folder is created, accessible to this user only.
  ///   - limits: How many cookies are kept for each identity. Default: `CookieLimits()`.
  ///   - keepsSessionCookies: True to write session cookies to the file, too. They stay until they are
  ///     removed or replaced. Default: false; they are lost when the process ends.
  ///   - onProblem: Called with each problem found with the file, on the store's queue. Default: ignores it.
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

  /// Returns the store of one identity. Identities never share cookies, and each has its own limits. The
  /// store is a view of the same memory or files, and costs next to nothing to create.
  /// - Parameter identity: The identity, such as a user's ID. Nil returns the store without an identity,
  ///   which is this store unless it is a partition itself. The identity appears in no file: its digest
  ///   (SHA-256) is a file's name.
  public func partition(for identity: String?) -> CookieStore {
    CookieStore(partitions, CookiePartition(of: identity))
  }

  /// All cookies that have not expired, from the oldest to the newest. Reads the file if another process has
  /// replaced it.
  public var cookies: [Cookie] { entries.map(\.cookie) }

  /// Returns the cookies that a request to `url` would be sent with, in their order. Reads the file as
  /// `cookies` does.
  public func cookies(for url: URL) -> [Cookie] {
    guard let url = CookieURL(url) else { return [] }
    let now = partitions.settings.date()
    return partitions.use(partition) { $0.jar.entries(for: url, at: now) }.map(\.cookie)
  }

  /// Sets a cookie, in place of one with the same name, domain and path. It expires in 400 days at the
  /// latest. A cookie that has already expired only removes the other.
  ///
  /// - Throws: `CookieError` if no server could set it. `FileError` if it cannot be written; this process
  ///   uses it nevertheless, and writes it with the next change.
  public func set(_ cookie: Cookie) async throws {
    let cookie = cookie.withDomainInASCII
    if let problem = cookie.problem { throw CookieError(cookie, problem) }
    guard partitions.use(partition, { $0.jar.mayKeep(cookie) }) else {
      throw CookieError(
        cookie, "its domain is a public suffix or an address; make it host-only, or name a domain below it")
    }
    try await partitions.write(partition, .set(cookie))
  }

  /// Removes all cookies for which `matches` returns true.
  /// - Throws: The error of `matches`; `FileError` as `set` does.
  public func remove(where matches: (Cookie) throws -> Bool) async throws {
    let found = try entries.filter { try matches($0.cookie) }
    if !found.isEmpty { try await partitions.write(partition, .remove(found)) }
  }

  /// Removes all cookies of this store's identity from the memory and the disk, including files that were set
  /// aside.
  /// - Throws: `FileError` as `set` does.
  public func clear() async throws { try await partitions.clear(partition) }

  /// Removes the cookies of all identities, as `clear()` does for one.
  public func clearPartitions() async throws { try await partitions.clearAll() }

  /// Returns when all present cookies of this store's identity are in the file. A program that ends soon
  /// after a response must call this first.
  /// - Throws: `FileError` as `set` does.
  public func flush() async throws { try await partitions.flush(partition) }

  private var entries: [CookieList.Entry] {
    let now = partitions.settings.date()
    return partitions.use(partition) { $0.jar.entries }.filter { !$0.cookie.isExpired(at: now) }
  }
}

extension CookieStore {
  /// True if another program wrote the file and it is not a cookies.txt. The file is then neither used nor
  /// replaced.
  /// - Throws: `FileError`, if it cannot be read.
  package var hasForeignFile: Bool { get throws { try partitions.hasForeignFile(partition) } }

  /// Returns the value of the `Cookie` field for a request, and records that its cookies were used. Returns
  /// nil without cookies. Reads the file if another process has replaced it.
  package func field(for url: URL, at now: Date) -> String? {
    guard let url = CookieURL(url) else { return nil }
    let entries = partitions.use(partition) { $0.use(for: url, at: now) }
    guard !entries.isEmpty else { return nil }
    return entries.map { $0.cookie.name.isEmpty ? $0.cookie.value : "\($0.cookie.name)=\($0.cookie.value)" }
      .joined(separator: "; ")
  }

  /// Stores the cookies of a response, whatever its status. Does not wait until they are written.
  package func take(_ fields: HTTPFields, from url: URL, at now: Date) {
    let received = fields.values(of: "Set-Cookie").compactMap { SetCookie($0) }
    guard !received.isEmpty, let url = CookieURL(url) else { return }
    partitions.change(partition, .receive(received, from: url), at: now)
  }
}

extension CookieStore: CookieJar {
  /// Returns the value of the `Cookie` field for a request of an identity; nil without cookies.
  public func field(for url: URL, identity: String?, at now: Date) -> String? {
    partition(for: identity).field(for: url, at: now)
  }

  /// Stores the cookies of a response to a request of an identity.
  /// - Returns: A closure that waits until the cookies are in the file; nil for a store in memory.
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
  /// The number and the names of the cookies in memory, without their values.
  public var description: String {
    let names = partitions.names(partition)
    let shown = names.prefix(20).joined(separator: ", ") + (names.count > 20 ? ", …" : "")
    let count = "\(names.count) \(names.count == 1 ? "cookie" : "cookies")"
    return "CookieStore(\(count)\(names.isEmpty ? "" : ": ")\(shown))"
  }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: ["cookies": description]) }
}

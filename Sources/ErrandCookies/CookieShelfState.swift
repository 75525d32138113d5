import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The cookies of one identity, and their changes that are still to be written to the file, which other
/// processes write, too. Pure.
///
/// The file's cookies plus the unwritten changes make the cookies that are sent. When another process has
/// written the file, the changes are repeated on its new contents.
struct CookieShelfState: Sendable {
  /// The state of the file when it was last read or written.
  enum Stamp: Sendable {
    case unread
    case missing
    case file(FileStatus)

    func isStill(_ status: FileStatus?) -> Bool {
      switch (self, status) {
      case (.missing, nil): true
      case (.file(let known), let status?):
        known.isSameFile(as: status) && known.modified == status.modified && known.size == status.size
      default: false
      }
    }
  }

  /// The content to be written, and the state after the write.
  struct Draft: Sendable {
    /// The entries for the file; nil if it already has them.
    let entries: [CookieList.Entry]?
    fileprivate let jar: CookieList
    fileprivate let lastChange: Int
  }

  /// The cookies that are sent.
  private(set) var jar: CookieList
  /// The cookies of the file, and those that are not written to it.
  private var base: CookieList
  private var pending: [(number: Int, change: CookieChange)] = []
  private var lastChange = 0
  /// True if the cookies are stored in a file.
  private let hasFile: Bool
  private let keepsSessionCookies: Bool
  /// The format of the file that was last read.
  private(set) var format = CookieFile.Format.errand
  private(set) var stamp = Stamp.unread
  /// Grows each time the file is read or written, so that an earlier read is not taken for a newer one.
  private(set) var generation = 0
  /// True from a failed read of the file until a successful one.
  private(set) var isTroubled = false
  private(set) var isClosed = false
  private var isScheduled = false
  /// True if the last wait for the file's lock failed.
  private var isLockOverdue = false

  init(_ jar: CookieList, hasFile: Bool, keepsSessionCookies: Bool) {
    self.jar = jar
    base = jar
    self.hasFile = hasFile
    self.keepsSessionCookies = keepsSessionCookies
  }

  mutating func use(for url: CookieURL, at now: Date) -> [CookieList.Entry] { jar.use(for: url, at: now) }

  mutating func apply(_ change: CookieChange) {
    jar.apply(change)
    guard hasFile else { return }
    // This change makes all changes before it unnecessary.
    if case .clear = change.kind { pending = [] }
    lastChange += 1
    pending.append((lastChange, change))
    // While the file cannot be written, the oldest changes are dropped.
    var held = pending.reduce(0) { $0 + $1.change.count }
    while held > jar.limits.total, pending.count > 1 { held -= pending.removeFirst().change.count }
  }

  /// Returns true if a write has to be scheduled: once until it begins.
  mutating func schedule() -> Bool {
    guard hasFile, !isScheduled else { return false }
    isScheduled = true
    return true
  }

  /// Begins a write. Returns false if nothing has to be written.
  mutating func beginWrite() -> Bool {
    isScheduled = false
    return !pending.isEmpty || isTroubled
  }

  /// Returns how long to wait for the file's lock. After a failed wait, the next ones are zero until the lock
  /// is free.
  mutating func awaitLock(_ patience: Duration) -> Duration {
    defer { isLockOverdue = true }
    return isLockOverdue ? .zero : patience
  }

  mutating func hasLock() { isLockOverdue = false }

  /// Takes over the contents of the file, unless it was read or written by others since `generation`.
  /// - Parameter format: The format of the file; nil if the file is missing.
  /// - Returns: False if the file has to be read again.
  mutating func adopt(
    _ entries: [CookieList.Entry], stamp: Stamp, format: CookieFile.Format? = nil, generation: Int,
    at now: Date
  ) -> Bool {
    guard generation == self.generation else { return false }
    self.generation += 1
    if let format {
      self.format = format
    } else if case .netscape = self.format {
      self.format = .netscape(rest: [])
    }
    self.stamp = stamp
    isTroubled = false
    var fresh = base
    fresh.clear()
    for entry in entries where keeps(entry) { fresh.load(entry) }
    for entry in base.entries where !keeps(entry) { fresh.load(entry) }
    let count = fresh.count
    fresh.evict(at: now)
    if case .netscape(let rest) = self.format, fresh.count < count {
      // The limits are this store's, so the other programs' further cookies stay in the file.
      let kept = Set(fresh.entries)
      let lost = entries.filter { !kept.contains($0) && !$0.cookie.isExpired(at: now) }
      self.format = .netscape(rest: rest + lost.map { Data(NetscapeCookies.line(of: $0.cookie).utf8) })
    }
    base = fresh
    rebuild()
    return true
  }

  /// Notes that the file could not be read. The cookies stay as they are.
  /// - Parameter stamp: The stamp of a damaged file, which is not read again; nil for a file that cannot be
  ///   opened.
  /// - Returns: True if the failure is new.
  mutating func fail(_ stamp: Stamp?) -> Bool {
    if let stamp { self.stamp = stamp }
    defer { isTroubled = true }
    return !isTroubled
  }

  /// True for an entry that belongs into the file.
  private func keeps(_ entry: CookieList.Entry) -> Bool {
    keepsSessionCookies || format.keepsSessionCookies || entry.cookie.expires != nil
  }

  private mutating func rebuild() {
    base.takeUses(from: jar)
    jar = base
    for (_, change) in pending { jar.apply(change) }
  }

  /// Returns the contents that the file must have. The file must have been adopted before.
  mutating func draft(at now: Date) -> Draft {
    base.takeUses(from: jar)
    var next = base
    for (_, change) in pending { next.apply(change) }
    next.removeExpired(at: now)
    let (old, new) = (base.entries.filter(keeps), next.entries.filter(keeps))
    let isSame = old.elementsEqual(new) { $0.cookie == $1.cookie && $0.received == $1.received }
    return Draft(entries: isSame ? nil : new, jar: next, lastChange: pending.last?.number ?? 0)
  }

  /// Treats the changes as written if they change nothing in the file. Returns false if they do, or if the
  /// file has not been read.
  mutating func commitUnwritten(at now: Date) -> Bool {
    if case .unread = stamp { return false }
    let draft = draft(at: now)
    guard !isTroubled, draft.entries == nil else { return false }
    commit(draft, stamp: stamp)
    return true
  }

  /// Treats a draft as written.
  mutating func commit(_ draft: Draft, stamp: Stamp) {
    generation += 1
    self.stamp = stamp
    base = draft.jar
    pending.removeAll { $0.number <= draft.lastChange }
    rebuild()
  }

  /// Closes the state if nothing would be lost with it. It must not be used after that.
  mutating func closeIfIdle(at now: Date) -> Bool {
    jar.removeExpired(at: now)
    isClosed =
      pending.isEmpty && !isScheduled && !isTroubled
      && !jar.sites.values.joined().contains { !hasFile || !keeps($0) }
    return isClosed
  }
}

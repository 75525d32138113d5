import Dispatch
import ErrandCore
import ErrandCrypto

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The settings that all partitions of a store share.
struct CookieSettings: Sendable {
  let limits: CookieLimits
  let suffixes: PublicSuffixes
  let keepsSessionCookies: Bool
  let date: @Sendable () -> Date
  let report: @Sendable (CookieFileProblem) -> Void
  /// Writes the files of all identities. A queue for each would need a waiting thread for each.
  let queue = DispatchQueue(label: "errand.cookies")
}

/// The name of a partition: a digest of its identity, because identities may be secret.
struct CookiePartition: Sendable, Hashable {
  /// The partition for requests without an identity.
  static let none = CookiePartition(name: "")

  /// 64 hexadecimal digits; empty for `none`.
  let name: String

  private init(name: String) { self.name = name }

  init(of identity: String?) {
    name = identity.map { "\(SHA256Digest(hashing: Data("errand cookies \($0)".utf8)))" } ?? ""
  }

  /// Creates the partition that a file belongs to. Returns nil for any other file.
  init?(fileName: String) {
    let digits = fileName.utf8.prefix { $0 != UInt8(ascii: ".") }
    guard digits.count == 2 * SHA256Digest.byteCount, digits.allSatisfy({ 48...57 ~= $0 || 97...102 ~= $0 })
    else { return nil }
    name = String(decoding: Array(digits), as: UTF8.self)
  }
}

/// The cookies of all identities: one shelf for each, which is created when it is first used. A shelf with
/// nothing to lose is released, so identities without cookies take no memory.
final class CookiePartitions: Sendable {
  private struct Table {
    var shelves: [CookiePartition: CookieShelf] = [:]
    /// The number of shelves at which those with nothing to lose are released.
    var sweepsAt = 64
  }

  let settings: CookieSettings
  /// The path of the file without an identity; nil if all cookies are in memory.
  private let path: String?
  private let table = Locked(Table())

  init(path: String?, _ settings: CookieSettings) {
    self.path = path
    self.settings = settings
  }

  var hasFiles: Bool { path != nil }

  /// The number of shelves in memory.
  var count: Int { table.withLock { $0.shelves.count } }

  func use<Result: Sendable>(
    _ partition: CookiePartition, _ body: @Sendable (inout CookieShelfState) -> Result
  ) -> Result {
    while true {
      // A shelf may be closed between the two calls.
      if let result = shelf(of: partition).use(body) { return result }
    }
  }

  /// Makes a change, which is written a moment later.
  func change(_ partition: CookiePartition, _ kind: CookieChange.Kind, at date: Date) {
    make(CookieChange(kind: kind, date: date), partition, schedules: true)
  }

  /// Makes a change, and returns when it is written.
  func write(_ partition: CookiePartition, _ kind: CookieChange.Kind) async throws {
    make(CookieChange(kind: kind, date: settings.date()), partition, schedules: false)
    try await flush(partition)
  }

  private func make(_ change: CookieChange, _ partition: CookiePartition, schedules: Bool) {
    while shelf(of: partition).change(change, schedules: schedules) == nil {}
  }

  func hasForeignFile(_ partition: CookiePartition) throws -> Bool {
    try file(of: partition)?.isForeign ?? false
  }

  func flush(_ partition: CookiePartition) async throws { try await shelf(of: partition).flush() }

  func clear(_ partition: CookiePartition) async throws {
    try await write(partition, .clear)
    try await shelf(of: partition).removeLeftovers()
  }

  /// Removes all cookies. Tries to clear every partition before it throws.
  func clearAll() async throws {
    var failure: (any Error)?
    for partition in table.withLock({ Set($0.shelves.keys) }).union(partitionsOnDisk).union([.none]) {
      do { try await clear(partition) } catch { failure = error }
    }
    if let failure { throw failure }
  }

  /// The names of the cookies, without reading a file.
  func names(_ partition: CookiePartition) -> [String] {
    table.withLock { $0.shelves[partition] }?.names ?? []
  }

  private func shelf(of partition: CookiePartition) -> CookieShelf {
    let now = settings.date()
    return table.withLock { table in
      if let shelf = table.shelves[partition] { return shelf }
      if table.shelves.count >= table.sweepsAt {
        table.shelves = table.shelves.filter { !$0.value.closeIfIdle(at: now) }
        table.sweepsAt = max(64, 2 * table.shelves.count)
      }
      let shelf = CookieShelf(file(of: partition), settings)
      table.shelves[partition] = shelf
      return shelf
    }
  }

  private func file(of partition: CookiePartition) -> CookieFile? {
    guard let path, let folder else { return nil }
    if partition == .none { return CookieFile(path: path, lockPath: path + ".lock", limits: settings.limits) }
    // The lock files are shared by many identities: identities come and go, and a locked file cannot be
    // removed.
    return CookieFile(
      path: "\(folder)/\(partition.name).jsonl", lockPath: "\(folder)/\(partition.name.prefix(1)).lock",
      limits: settings.limits)
  }

  /// The folder of all files except the one without an identity.
  private var folder: String? { path.map { $0 + ".partitions" } }

  private var partitionsOnDisk: Set<CookiePartition> {
    guard let folder, let names = try? FileManager.default.contentsOfDirectory(atPath: folder) else {
      return []
    }
    return Set(names.compactMap(CookiePartition.init(fileName:)))
  }
}

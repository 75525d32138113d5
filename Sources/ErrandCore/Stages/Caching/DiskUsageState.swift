#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Decides when a store on disk scans its folder, and which files it then evicts. Pure.
///
/// A file's modification date is the time of its last use, for other processes. It is updated at most once a
/// minute, so that a read rarely causes a write. This process knows the exact times of its later uses.
///
/// Other processes may write into the folder, too, so its size is known only after a scan. After a scan, an
/// eighth of the limit is free. The next scan comes before this process has filled half of that, so two
/// processes never exceed the limit.
/// processes never exceed the limit.
struct DiskUsageState {
  struct File: Sendable, Hashable {
    let name: String
    let size: Int
    let used: Date
  }

  private struct Use {
    let date: Date
    /// Orders uses at the same instant.
    let number: Int
  }

  static let stampInterval: TimeInterval = 60
  /// A date further ahead than this was set before the clock was set back. Some file systems round up.
  private static let tolerance: TimeInterval = 2

  /// The number of remembered uses. When it is reached, all are forgotten, and the order within a minute is
  /// lost.
  private static let mostUses = 10_000

  private let limit: Int
  /// The bytes that this process has written since the last scan; nil before the first.
  private var written: Int?
  private var uses: [String: Use] = [:]
  private var lastNumber = 0

  init(limit: Int) { self.limit = limit }

  private var allowance: Int { limit / 16 }
  /// The maximum size in use after a scan, in bytes, and therefore the maximum size of one response.
  var largest: Int { limit - 2 * allowance }

  /// Notes the use of a file.
  /// - Parameter stamp: The file's date.
  /// - Returns: True if the file's date must be updated.
  mutating func used(_ name: String, stamp: Date, at now: Date) -> Bool {
    lastNumber += 1
    if uses.count >= Self.mostUses { uses = [:] }
    uses[name] = Use(date: now, number: lastNumber)
    return now.timeIntervalSince(stamp) >= Self.stampInterval || isAhead(stamp, of: now)
  }

  /// Notes that a file was written.
  /// - Returns: True if a scan is due.
  mutating func wrote(_ name: String, size: Int, at now: Date) -> Bool {
    _ = used(name, stamp: now, at: now)
    guard let sum = written.map({ $0 + size }), sum <= allowance else { return true }
    written = sum
    return false
  }

  mutating func removed(_ name: String) { uses[name] = nil }

  /// Returns the files to evict after a scan. They never include `spared`, which was just written.
  mutating func victims(among files: [File], sparing spared: String, at now: Date) -> [String] {
    written = 0
    let known = uses
    uses = [:]
    for file in files { uses[file.name] = known[file.name] }
    // A `Double`: no sum of sparse files overflows it, and the sizes on a real disk are exact.
    var excess = files.reduce(0.0) { $0 + Double($1.size) } - Double(largest)
    var victims: [String] = []
    for file in ordered(files, at: now) where file.name != spared {
      if excess <= 0 { break }
      excess -= Double(file.size)
      victims.append(file.name)
      uses[file.name] = nil
    }
    return victims
  }

  /// Returns the files, the least recently used first.
  private func ordered(_ files: [File], at now: Date) -> [File] {
    let ranked = files.map { file in
      let use = uses[file.name]
      let date = max(file.used, use?.date ?? .distantPast)
      return (file: file, rank: isAhead(date, of: now) ? 0 : 1, date: date, number: use?.number ?? 0)
    }
    return ranked.sorted {
      ($0.rank, $0.date, $0.number, $0.file.name) < ($1.rank, $1.date, $1.number, $1.file.name)
    }.map(\.file)
  }

  private func isAhead(_ date: Date, of now: Date) -> Bool { date.timeIntervalSince(now) > Self.tolerance }
}

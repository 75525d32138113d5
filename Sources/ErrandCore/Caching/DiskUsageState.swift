#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Decides when a store on disk looks through its folder, and what then has to go. Pure.
///
/// A file's date says when it was last used, so that other processes know; it is set anew once a minute at most, so that
/// reading costs no writing. What this process used since is known here to the instant.
///
/// Others may write into the folder too, so its size is known only by looking. After a look an eighth of the limit is free,
/// and there is another one before this process has filled half of that: two processes never pass the limit.
struct DiskUsageState {
  struct File: Sendable, Hashable {
    let name: String
    let size: Int
    let used: Date
  }

  private struct Use {
    let date: Date
    /// Tells what was used in the same instant.
    let number: Int
  }

  static let stampInterval: TimeInterval = 60
  /// A date further ahead than this is from before the clock was set back. Some file systems round up.
  private static let tolerance: TimeInterval = 2

  /// Forgetting costs no more than the order within a minute.
  private static let mostUses = 10_000

  private let limit: Int
  /// By this process since the last look; nil before the first.
  private var written: Int?
  private var uses: [String: Use] = [:]
  private var lastNumber = 0

  init(limit: Int) { self.limit = limit }

  private var allowance: Int { limit / 16 }
  /// What is left of the limit after a look, and so the most that one answer may take.
  var largest: Int { limit - 2 * allowance }

  /// - Parameter stamp: The file's date.
  /// - Returns: True if the file must be dated anew.
  mutating func used(_ name: String, stamp: Date, at now: Date) -> Bool {
    lastNumber += 1
    if uses.count >= Self.mostUses { uses = [:] }
    uses[name] = Use(date: now, number: lastNumber)
    return now.timeIntervalSince(stamp) >= Self.stampInterval || isAhead(stamp, of: now)
  }

  /// - Returns: True if it is time to look.
  mutating func wrote(_ name: String, size: Int, at now: Date) -> Bool {
    _ = used(name, stamp: now, at: now)
    guard let sum = written.map({ $0 + size }), sum <= allowance else { return true }
    written = sum
    return false
  }

  mutating func removed(_ name: String) { uses[name] = nil }

  /// What has to go, now that it has been looked; never the one that was written just now.
  mutating func victims(among files: [File], sparing spared: String, at now: Date) -> [String] {
    written = 0
    let known = uses
    uses = [:]
    for file in files { uses[file.name] = known[file.name] }
    // No sum of sparse files is too large for this, and no file of a real disk too small.
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

  /// The least recently used first.
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

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Decides when a store on disk scans its folder, and which files it then evicts. Pure.
///
/// A file's modification date is the time of its last use, for other processes. It is updated at most once a
/// minute, so that a read rarely causes a write. This process knows the exact times of its later uses. A new file gets
/// a date an hour ago, so that responses that are used once do not replace those that are used often.
///
/// Other processes may write into the folder, too, so its size is known only after a scan. The process does not wait
/// for a scan, until it has written too much meanwhile. After a scan, an eighth of the limit is free. Each process may
/// write half of that before the next scan has ended, so two processes never exceed the limit.
struct DiskUsageState {
  struct File: Sendable, Hashable {
    let name: String
    let size: Int
    let used: Date
  }

  /// The steps after a write.
  struct Step: Sendable, Hashable {
    /// True if a scan must begin.
    var scans = false
    /// True if the next write must wait for the end of the scan.
    var waits = false
  }

  private struct Use {
    let date: Date
    /// Orders uses at the same instant.
    let number: Int
    let isRead: Bool
  }

  /// The files that were written since a scan began. They are not evicted after it.
  private struct Scan {
    var names: Set<String>
    var size = 0
    /// The bytes that were written between the last scan and this one.
    let sizeBefore: Int
  }

  static let stampInterval: TimeInterval = 60
  /// A date further ahead than this was set before the clock was set back. Some file systems round up.
  private static let tolerance: TimeInterval = 2
  /// The age that a new file gets.
  private static let unreadAge: TimeInterval = 3600

  /// The number of remembered uses. When it is reached, all are forgotten, and the order within a minute is
  /// lost.
  private static let mostUses = 10_000

  private let limit: Int
  /// The bytes that this process has written since the last scan; nil before the first.
  private var written: Int?
  private var scan: Scan?
  private var uses: [String: Use] = [:]
  private var lastNumber = 0

  init(limit: Int) { self.limit = limit }

  private var allowance: Int { limit / 16 }
  /// The maximum size in use after a scan, in bytes, and therefore the maximum size of one response.
  var largest: Int { limit - 2 * allowance }

  /// Notes that a file was read.
  /// - Parameter stamp: The file's date.
  /// - Returns: True if the file's date must be updated.
  mutating func used(_ name: String, stamp: Date, at now: Date) -> Bool {
    note(name, at: now, isRead: true)
    return now.timeIntervalSince(stamp) >= Self.stampInterval || isAhead(stamp, of: now)
  }

  /// Returns the date that a file gets when it is written. One that replaces a file that was read keeps its rank.
  func stamp(for name: String, at now: Date) -> Date {
    uses[name]?.isRead == true ? now : now - Self.unreadAge
  }

  /// Notes that a file was written.
  mutating func wrote(_ name: String, size: Int, at now: Date) -> Step {
    note(name, at: stamp(for: name, at: now), isRead: uses[name]?.isRead == true)
    if var running = scan.take() {
      running.names.insert(name)
      running.size += size
      scan = running
      return Step(waits: running.sizeBefore + running.size > allowance)
    }
    let sum = (written ?? 0) + size
    if written != nil, sum <= allowance / 2 {
      written = sum
      return Step()
    }
    scan = Scan(names: [name], sizeBefore: sum)
    return Step(scans: true, waits: sum > allowance)
  }

  private mutating func note(_ name: String, at date: Date, isRead: Bool) {
    lastNumber += 1
    if uses.count >= Self.mostUses { uses = [:] }
    uses[name] = Use(date: date, number: lastNumber, isRead: isRead)
  }

  mutating func removed(_ name: String) { uses[name] = nil }

  /// Returns the files to evict after a scan. They never include those that were written since it began.
  mutating func victims(among files: [File], at now: Date) -> [String] {
    let spared = scan?.names ?? []
    written = scan?.size ?? 0
    scan = nil
    let known = uses
    uses = [:]
    for file in files { uses[file.name] = known[file.name] }
    // A larger file is of a store with another limit, or damaged.
    var victims = files.filter { $0.size > largest && !spared.contains($0.name) }.map(\.name)
    let files = files.filter { $0.size <= largest }
    // A `Double`: no sum of sparse files overflows it, and the sizes on a real disk are exact.
    var excess = files.reduce(0.0) { $0 + Double($1.size) } - Double(largest)
    for file in ordered(files, at: now) where !spared.contains(file.name) {
      if excess <= 0 { break }
      excess -= Double(file.size)
      victims.append(file.name)
      uses[file.name] = nil
    }
    return victims
  }

  /// Notes that the folder could not be read. The next write tries it again.
  mutating func scanFailed() {
    written = nil
    scan = nil
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

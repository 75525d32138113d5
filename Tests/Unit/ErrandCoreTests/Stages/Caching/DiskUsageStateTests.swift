import ErrandTesting
import Foundation
import Testing

@testable import ErrandCore

@Suite struct DiskUsageStateTests {
  private typealias File = DiskUsageState.File
  private let start = Date(timeIntervalSinceReferenceDate: 800_000_000)

  @Test(arguments: 1...8)
  func `two processes never exceed the limit, and each keeps the file that it wrote last`(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let limit = Int.random(in: 100...5000, using: &random)
    var processes = [DiskUsageState(limit: limit), DiskUsageState(limit: limit)]
    var folder: [String: File] = [:]
    var now = start
    // The processes whose scan has not ended, and the files that they have written since it began.
    var scans: [Int: Set<String>] = [:]
    func endScan(_ index: Int) {
      guard let written = scans.removeValue(forKey: index) else { return }
      let victims = processes[index].victims(among: Array(folder.values), at: now)
      for victim in victims { folder[victim] = nil }
      #expect(written.isDisjoint(with: victims))
      #expect(Set(victims).count == victims.count)
    }
    for _ in 0..<800 {
      now += Double.random(in: 0...20, using: &random)
      if Int.random(in: 0..<4, using: &random) == 0 { endScan(.random(in: 0...1, using: &random)) }
      let index = Int.random(in: 0...1, using: &random)
      let name = "\(Int.random(in: 0..<40, using: &random))"
      if let file = folder[name], Bool.random(using: &random) {
        if processes[index].used(name, stamp: file.used, at: now) {
          folder[name] = File(name: name, size: file.size, used: now)
        }
        continue
      }
      let size = Int.random(in: 0...(limit / Int.random(in: 1...50, using: &random)), using: &random)
      guard size <= processes[index].largest else {
        folder[name] = nil
        continue
      }
      folder[name] = File(name: name, size: size, used: processes[index].stamp(for: name, at: now))
      let step = processes[index].wrote(name, size: size, at: now)
      #expect(!step.scans || scans[index] == nil)
      if step.scans { scans[index] = [] }
      scans[index]?.insert(name)
      if step.waits { endScan(index) }
      #expect(folder[name] != nil)
      #expect(folder.values.reduce(0) { $0 + $1.size } <= limit)
    }
  }

  @Test(arguments: 1...8)
  func `one process evicts unread files first, and others in the exact order of their last use`(seed: UInt64)
  {
    var random = SeededRandom(seed: seed)
    var state = DiskUsageState(limit: 1000)
    var folder: [String: File] = [:]
    // From the first to the last to be evicted, while no hour passes: those that were not read, and those that were.
    var order: (unread: [String], read: [String]) = ([], [])
    var now = start
    for _ in 0..<600 {
      // Steps often happen in the same instant.
      if Bool.random(using: &random) { now += Double.random(in: 0...1, using: &random) }
      let name = "\(Int.random(in: 0..<30, using: &random))"
      let wasRead = order.read.contains(name)
      order = (order.unread.filter { $0 != name }, order.read.filter { $0 != name })
      if let file = folder[name], Bool.random(using: &random) {
        order.read.append(name)
        if state.used(name, stamp: file.used, at: now) {
          folder[name] = File(name: name, size: file.size, used: now)
        }
        continue
      }
      if wasRead { order.read.append(name) } else { order.unread.append(name) }
      folder[name] = File(
        name: name, size: Int.random(in: 50...150, using: &random), used: state.stamp(for: name, at: now))
      guard state.wrote(name, size: folder[name]?.size ?? 0, at: now).scans else { continue }
      let victims = state.victims(among: Array(folder.values), at: now)
      for victim in victims { folder[victim] = nil }
      let expected = (order.unread + order.read).filter { $0 != name }
      #expect(victims == Array(expected.prefix(victims.count)))
      order = (order.unread.filter { folder[$0] != nil }, order.read.filter { folder[$0] != nil })
    }
  }

  @Test func `a file's date is updated once a minute, and when it is in the future`() {
    var state = DiskUsageState(limit: 1000)
    let ages = [0: false, 59: false, 60: true, 3600: true, -1: false, -10: true]
    for (age, isOld) in ages {
      let mustDate = state.used("a", stamp: start.addingTimeInterval(-Double(age)), at: start)
      #expect(mustDate == isOld, "\(age) s")
    }
  }

  @Test func `a file's date shows when another process used it`() {
    var state = DiskUsageState(limit: 160)
    let files = (0..<10).map { File(name: "\($0)", size: 20, used: start + Double($0 * 7 % 10)) }
    _ = state.wrote("0", size: 20, at: start + 100)
    let victims = state.victims(among: files, at: start + 100)
    #expect(victims == ["3", "6"] || victims == ["3", "6", "9"])
    #expect(200 - victims.count * 20 <= 140)
  }

  @Test func `files dated in the future are from before the clock was set back, and are evicted first`() {
    var state = DiskUsageState(limit: 160)
    let files = [
      File(name: "now", size: 50, used: start), File(name: "old", size: 50, used: start - 1000),
      File(name: "ahead", size: 50, used: start + 1000), File(name: "further", size: 50, used: start + 2000),
    ]
    _ = state.wrote("now", size: 50, at: start)
    let victims = state.victims(among: files, at: start)
    #expect(victims == ["ahead", "further"])
  }

  @Test func `many small responses cause few scans of the folder`() {
    var state = DiskUsageState(limit: 1_000_000)
    var looks = 0
    for number in 0..<10_000 where state.wrote("\(number)", size: 100, at: start).scans {
      looks += 1
      _ = state.victims(among: [], at: start)
    }
    #expect(looks == 32)
  }

  @Test func `if the total size of the files overflows, all are evicted`() {
    var state = DiskUsageState(limit: 1000)
    let files = ["a", "b", "c"].map { File(name: $0, size: .max, used: start) }
    let new = File(name: "d", size: 10, used: start)
    _ = state.wrote("d", size: 10, at: start)
    #expect(state.victims(among: files + [new], at: start) == ["a", "b", "c"])
  }
}

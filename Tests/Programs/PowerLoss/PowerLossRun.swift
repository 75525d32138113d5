import CDiskTrace
import ErrandOutbox
import ErrandTesting
import Foundation

/// Runs outboxes on a disk that loses power repeatedly, and compares them with their reports before each
/// loss. The seed determines everything except the scheduling of threads.
struct PowerLossRun {
  /// The number of power losses that are examined for each recorded story.
  private static let cutsPerStory = 12
  /// The number of times that an outbox continues with the disk that a power loss left.
  private static let stories = 3

  private let seed: UInt64
  private let lies: Bool
  private let folder: URL
  private var random: SeededRandom
  private let key: OutboxKey?
  private(set) var cuts = 0
  private(set) var violations: [String] = []

  init(seed: UInt64, lies: Bool = false, in folder: URL) throws {
    (self.seed, self.lies, self.folder) = (seed, lies, folder)
    random = SeededRandom(seed: seed)
    key = Bool.random(using: &random) ? try OutboxKey(Data(repeating: 7, count: 32)) : nil
  }

  mutating func run() async throws {
    let files = FileManager.default
    var knowledge = Knowledge()
    var next = 1
    var root = folder.appending(path: "disk 0")
    try files.createDirectory(at: root, withIntermediateDirectories: true)
    for number in 1...Self.stories {
      let place = root.appending(path: "apps/errand/outbox")
      let sources = folder.appending(path: "sources")
      try files.createDirectory(at: sources, withIntermediateDirectories: true)
      var disk = try TracedDisk(root)
      disk.lies = lies
      var story = Story(
        in: place, sources: sources, key: key, first: next, boot: "\(number)", seed: random.next())
      let trace = try await DiskTrace(of: root, in: folder.appending(path: "trace")) {
        next = try await story.run()
      }
      try files.removeItem(at: root)
      try files.removeItem(at: sources)
      let after = folder.appending(path: "disk \(number)")
      try await examine(trace, &disk, &knowledge, after)
      guard violations.isEmpty else { return }
      root = after
    }
    try files.removeItem(at: root)
  }

  /// Plays the trace, and examines the results of power losses on the way. The next story continues with the
  /// last one's disk.
  private mutating func examine(
    _ trace: DiskTrace, _ disk: inout TracedDisk, _ knowledge: inout Knowledge, _ after: URL
  ) async throws {
    let last = Int.random(in: 0...trace.records.count, using: &random)
    let places = (1..<Self.cutsPerStory).map { _ in Int.random(in: 0...trace.records.count, using: &random) }
    var (diskThen, knowledgeThen): (UInt64, Knowledge?) = (0, nil)
    for index in 0...trace.records.count {
      let count = places.count { $0 == index } + (index == last ? 1 : 0)
      for _ in 0..<count {
        let here = folder.appending(path: "after \(cuts)")
        diskThen = random.next()
        try disk.restore(into: here, seed: diskThen)
        await look(at: here, knowledge, "record \(index) of \(trace.records.count)")
        // A store that could not be opened may still be closing its files; the rest is removed with the
        // parent folder.
        try? FileManager.default.removeItem(at: here)
        cuts += 1
      }
      if index == last {
        try disk.restore(into: after, seed: diskThen)
        knowledgeThen = knowledge
      }
      guard index < trace.records.count else { break }
      let record = trace.records[index]
      if record.kind == errand_trace_mark { knowledge.read(record.text) } else { disk.play(record) }
    }
    if let knowledgeThen { knowledge = knowledgeThen }
  }

  private mutating func look(at root: URL, _ knowledge: Knowledge, _ moment: String) async {
    var examination = Examination(root.appending(path: "apps/errand/outbox"), key, knowledge)
    await examination.run()
    violations += examination.violations.map { "seed \(seed), \(moment): \($0)" }
  }
}

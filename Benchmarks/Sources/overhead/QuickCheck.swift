#if !BASELINE
  import BenchmarkSupport
  import Foundation

  /// Compares the instructions of a request with the recorded ones. Their number hardly varies, so that even a
  /// small growth is noticed. With one request in flight over a socket, the same holds for the number of times that a
  /// thread begins to wait, and has to be woken.
  struct QuickCheck {
    struct Grown: Error, CustomStringConvertible {
      let description: String
    }

    /// The counts of one toolchain, because another compiles the same source to other instructions.
    private struct Record: Codable {
      var toolchain: String
      var instructions: [String: Int]
      var waits: Double
    }

    /// The permitted growth over a socket is larger, because the count depends on the order of the threads: on a faster
    /// machine it was 9 % higher.
    private static func limit(of load: String) -> Double { load == "socket" ? 1.18 : 1.02 }

    private static let limitOfWaits = 1.1

    private let file: URL
    private let note: String

    init(file: String) {
      self.file = URL(filePath: file)
      let id = ProcessInfo.processInfo.processIdentifier
      note = FileManager.default.temporaryDirectory.appending(path: "overhead-\(id)").path
    }

    /// - Parameter records: True to record the counts instead of comparing them.
    func run(toolchain: String, records: Bool) throws {
      defer { try? FileManager.default.removeItem(atPath: note) }
      let counter = InstructionCounter.valgrind(note)
      guard counter.works else {
        return print("  not counted, because valgrind is not installed or does not work on this machine")
      }
      let server = try SmallServer()
      var found = Record(toolchain: toolchain, instructions: [:], waits: try waits(port: server.port))
      for load in ["plain", "full", "socket"] {
        found.instructions[load] = Int(
          try counter.each([load, "--port", "\(server.port)"], of: CommandLine.arguments[0], requests: 1000))
      }
      if records {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
        try (encoder.encode(found) + Data("\n".utf8)).write(to: file)
      }
      try compare(found, with: try JSONDecoder().decode(Record.self, from: Data(contentsOf: file)))
    }

    /// Returns the least of three runs, because another program may interrupt a thread.
    private func waits(port: Int) throws -> Double {
      let runs = try (0..<3).map { _ in
        try Child.run(
          [
            CommandLine.arguments[0], "--child", "socket", "--port", "\(port)", "--requests", "2000",
            "--slices", "2",
            "--waits",
          ], output: note)
        return try String(contentsOfFile: note, encoding: .utf8).split(separator: "\n").last.flatMap {
          Double($0)
        } ?? 0
      }
      return ((runs.min() ?? 0) * 100).rounded() / 100
    }

    private func compare(_ found: Record, with record: Record) throws {
      print("  \("instructions each".left(22))\("now".right(10))\("recorded".right(10))")
      var grown: [String] = []
      for (load, count) in found.instructions.sorted(by: { $0.key < $1.key }) {
        let before = record.instructions[load] ?? count
        print("  \(load.left(22))\("\(count)".right(10))\("\(before)".right(10))")
        if Double(count) > Double(before) * Self.limit(of: load) { grown.append(load) }
      }
      print("  \("waits each".left(22))\(found.waits.fixed(2).right(10))\(record.waits.fixed(2).right(10))")
      guard found.waits <= record.waits * Self.limitOfWaits else {
        throw Grown(
          description: "a thread waits more often for a request over a socket than recorded in "
            + "\(file.lastPathComponent). If that is intended, record the new number with `make bench-record`."
        )
      }
      guard found.toolchain == record.toolchain else {
        return print(
          "  not compared, because the counts were recorded with \(record.toolchain), and this is \(found.toolchain)"
        )
      }
      guard grown.isEmpty else {
        throw Grown(
          description: "\(grown.joined(separator: ", ")): more instructions than recorded in "
            + "\(file.lastPathComponent). If that is intended, record the new counts with `make bench-record`."
        )
      }
    }
  }
#endif

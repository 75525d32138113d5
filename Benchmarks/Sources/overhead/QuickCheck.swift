#if !BASELINE
  import BenchmarkSupport
  import Foundation

  /// Compares the instructions of a request with those that were counted before. They are free of noise, so that a
  /// small growth is seen.
  struct QuickCheck {
    struct Grown: Error, CustomStringConvertible {
      let description: String
    }

    /// The counts of one toolchain: another makes others of the same source.
    private struct Record: Codable {
      var toolchain: String
      var instructions: [String: Int]
    }

    /// Over a socket the count depends on which thread was faster.
    private static func limit(of load: String) -> Double { load == "socket" ? 1.25 : 1.02 }

    private let file: URL
    private let note: String

    init(file: String) {
      self.file = URL(filePath: file)
      let id = ProcessInfo.processInfo.processIdentifier
      note = FileManager.default.temporaryDirectory.appending(path: "overhead-\(id)").path
    }

    /// - Parameter records: True to write the counts down, instead of comparing them.
    func run(toolchain: String, records: Bool) throws {
      defer { try? FileManager.default.removeItem(atPath: note) }
      let counter = InstructionCounter.valgrind(note)
      guard counter.works else {
        return print("  not counted: valgrind cannot be found or does not work here")
      }
      var found = Record(toolchain: toolchain, instructions: [:])
      let server = try SmallServer()
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

    private func compare(_ found: Record, with record: Record) throws {
      print("  \("instructions each".left(22))\("now".right(10))\("recorded".right(10))")
      var grown: [String] = []
      for (load, count) in found.instructions.sorted(by: { $0.key < $1.key }) {
        let before = record.instructions[load] ?? count
        print("  \(load.left(22))\("\(count)".right(10))\("\(before)".right(10))")
        if Double(count) > Double(before) * Self.limit(of: load) { grown.append(load) }
      }
      guard found.toolchain == record.toolchain else {
        return print("  not compared: recorded with \(record.toolchain), and this is \(found.toolchain)")
      }
      guard grown.isEmpty else {
        throw Grown(
          description: "\(grown.joined(separator: ", ")): more instructions than recorded in "
            + "\(file.lastPathComponent). If that is meant, record them anew with `make bench-record`.")
      }
    }
  }
#endif

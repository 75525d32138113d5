import BenchmarkSupport
import Foundation

/// Counts the instructions of a program, with perf or valgrind.
struct InstructionCounter {
  struct NotCounted: Error {}

  private let command: [String]
  private let note: String
  /// Returns the number in a line of the counter's output, or nil.
  private let number: @Sendable (String) -> Double?

  /// Returns a counter that works on this machine, or nil if none does.
  /// - Parameter note: The file for the counter's output.
  static func found(note: String) -> InstructionCounter? {
    [perf(note), valgrind(note)].first(where: \.works)
  }

  /// True if the counter works on this machine.
  var works: Bool { (try? count(["true"])) != nil }

  /// Counts the instructions of a request, as the difference of two runs, so that the program's start does not
  /// count.
  /// - Parameter load: The options that name the load.
  func each(_ load: [String], of program: String, requests: Int) throws -> Double {
    let counts = try [requests, 2 * requests].map {
      try count([program, "--child"] + load + ["--requests", "\($0)"])
    }
    return (counts[1] - counts[0]) / Double(requests)
  }

  private func count(_ program: [String]) throws -> Double {
    try Child.run(command + program)
    let text = try String(contentsOfFile: note, encoding: .utf8)
    guard let number = text.split(separator: "\n").lazy.compactMap({ number(String($0)) }).first else {
      throw NotCounted()
    }
    return number
  }

  private static func perf(_ note: String) -> InstructionCounter {
    InstructionCounter(command: ["perf", "stat", "-x,", "-e", "instructions:u", "-o", note], note: note) {
      line in
      line.contains("instructions") ? Double(line.prefix { $0 != "," }) : nil
    }
  }

  /// Returns a counter with valgrind, which gives the same count on every machine.
  static func valgrind(_ note: String) -> InstructionCounter {
    let command = [
      "valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null",
      "--log-file=\(note)",
    ]
    return InstructionCounter(command: command, note: note) { line in
      guard line.contains("refs:") else { return nil }
      return Double(line.drop { $0 != ":" }.filter(\.isNumber))
    }
  }
}

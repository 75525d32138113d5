import BenchmarkSupport
import Foundation

/// The resources that a PostgreSQL server has used so far.
struct ServerUsage: Sendable {
  /// The processor time in seconds of all its processes, including ended ones.
  var cpu: Double

  /// - Parameter postmaster: The ID of its first process.
  init(of postmaster: Int) throws {
    let children = try String(
      contentsOfFile: "/proc/\(postmaster)/task/\(postmaster)/children", encoding: .utf8
    )
    .split(separator: " ").compactMap { Int($0) }
    let ticks = try Self.ticks(postmaster, withChildren: true)
    let living = children.map { (try? Self.ticks($0, withChildren: false)) ?? 0 }
    cpu = Double(ticks + living.reduce(0, +)) / 100
  }

  /// Returns the clock ticks of a process, as in proc(5), optionally including those of ended children.
  private static func ticks(_ process: Int, withChildren: Bool) throws -> Int {
    let text = try String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
    guard let name = text.lastIndex(of: ")") else { return 0 }
    let words = text[text.index(after: name)...].split(separator: " ")
    guard words.count > 14 else { return 0 }
    return words[11...(withChildren ? 14 : 12)].compactMap { Int($0) }.reduce(0, +)
  }
}

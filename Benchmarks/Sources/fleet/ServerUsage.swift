import BenchmarkSupport
import Foundation

/// What a PostgreSQL server has used until now.
struct ServerUsage: Sendable {
  /// Seconds of processor time of all its processes, those that have ended included.
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

  /// Returns the clock ticks of a process, as in proc(5); with children, those of the ended ones, too.
  private static func ticks(_ process: Int, withChildren: Bool) throws -> Int {
    let text = try String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
    guard let name = text.lastIndex(of: ")") else { return 0 }
    let words = text[text.index(after: name)...].split(separator: " ")
    guard words.count > 14 else { return 0 }
    return words[11...(withChildren ? 14 : 12)].compactMap { Int($0) }.reduce(0, +)
  }
}

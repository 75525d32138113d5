package import Foundation

/// A program whose standard output is a file.
package final class RecordedProgram: Sendable {
  private let program: Program
  private let output: URL

  /// - Parameter output: The path of the file, which is created or emptied.
  package init(_ path: String, _ arguments: [String], output: URL) throws {
    self.output = output
    try Data().write(to: output)
    let handle = try FileHandle(forWritingTo: output)
    program = try Program(path, arguments, output: handle.fileDescriptor)
    try handle.close()
  }

  /// The lines so far.
  package var lines: [String] {
    let text = (try? String(contentsOf: output, encoding: .utf8)) ?? ""
    return text.split(separator: "\n").map(String.init)
  }

  package func end() async -> Program.End { await program.end() }

  /// Kills the program, and returns when it has ended.
  package func kill() async {
    program.send(SIGKILL)
    _ = await program.end()
  }
}

import Foundation
import Programs
import TestSupport

/// A process that sets one cookie after the other in a file. Its output is a file, too.
final class CookieWriterProcess: Sendable {
  private let program: Program
  private let output: URL

  /// - Parameter host: The host that sets the cookies.
  init(file: URL, host: String, count: Int, folder: TemporaryFolder) throws {
    output = folder.file("output of \(host)")
    try Data().write(to: output)
    let handle = try FileHandle(forWritingTo: output)
    program = try Program(
      Program.built("CookieWriter"), [file.path, host, "\(count)"], output: handle.fileDescriptor)
    try handle.close()
  }

  /// The lines so far.
  var lines: [String] {
    let text = (try? String(contentsOf: output, encoding: .utf8)) ?? ""
    return text.split(separator: "\n").map(String.init)
  }

  func end() async -> Program.End { await program.end() }

  /// Kills the process, and returns when it has ended.
  func kill() async {
    program.send(SIGKILL)
    _ = await program.end()
  }
}

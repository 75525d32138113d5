import Foundation
import Programs
import TestSupport

/// A process of the tool that may still run.
final class Running: Sendable {
  private let program: Program
  private let folder: TemporaryFolder

  init(
    _ path: String, _ arguments: [String], input: Data? = nil, in workingFolder: URL? = nil,
    terminal: FileHandle? = nil
  ) throws {
    let folder = try TemporaryFolder()
    self.folder = folder
    let files = ["output", "error", "input"].map(folder.file)
    try folder.write(input ?? Data(), to: "input")
    for name in ["output", "error"] { try folder.write("", to: name) }
    let (output, error) = try (
      terminal ?? FileHandle(forWritingTo: files[0]), terminal ?? FileHandle(forWritingTo: files[1])
    )
    program = try Program(
      path, arguments, environment: ["errand": Tool.path, "PATH": "/usr/bin:/bin", "no_proxy": "*"],
      in: (workingFolder ?? folder.url).path, input: files[2].path, output: output.fileDescriptor,
      errors: error.fileDescriptor)
  }

  func send(_ signal: Int32) { program.send(signal) }

  /// Returns when the tool has printed `text`.
  func waitForOutput(_ text: String) async throws { try await wait(for: text, in: "output") }

  /// Returns when the tool has written `text` to standard error.
  func waitForError(_ text: String) async throws { try await wait(for: text, in: "error") }

  /// The tool's standard output so far.
  func outputSoFar() throws -> String { try String(contentsOf: folder.file("output"), encoding: .utf8) }

  /// The tool's standard error so far.
  func errorSoFar() throws -> String { try String(contentsOf: folder.file("error"), encoding: .utf8) }

  /// Waits for a line that begins with `start`, and returns the number at its end.
  func number(after start: String) async throws -> Int {
    try await waitForOutput(start)
    let output = folder.file("output")
    var found: Int?
    try await waitUntil {
      let lines = try String(contentsOf: output, encoding: .utf8).split(
        separator: "\n", omittingEmptySubsequences: false)
      // The last line may be incomplete.
      let line = lines.dropLast().first { $0.hasPrefix(start) }
      found = line.flatMap { Int($0.dropFirst(start.count)) }
      return found != nil || !program.isRunning
    }
    if let found { return found }
    throw Program.Failure(description: "it ended before it printed \(start)")
  }

  /// Polls the file, because no event reports that it has grown.
  private func wait(for text: String, in file: String) async throws {
    let file = folder.file(file)
    try await waitUntil { try String(contentsOf: file, encoding: .utf8).contains(text) || !program.isRunning }
  }

  func result() async throws -> Tool.Result {
    let end = await program.end()
    let (code, signal): (Int32, Int32?) =
      switch end {
      case .exited(let code): (code, nil)
      case .killed(let signal): (signal, signal)
      }
    return Tool.Result(
      code: code, signal: signal,
      output: try Data(contentsOf: folder.file("output")),
      error: try String(contentsOf: folder.file("error"), encoding: .utf8))
  }
}

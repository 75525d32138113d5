import Foundation
import Synchronization

/// A process of the tool that may still run.
final class Running: Sendable {
  private let process = Process()
  private let folder: URL
  private let ended: AsyncStream<Void>

  init(
    _ path: String, _ arguments: [String], input: Data? = nil, in workingFolder: URL? = nil,
    terminal: FileHandle? = nil
  ) throws {
    let folder = try TemporaryFolder.make()
    self.folder = folder
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments
    process.environment = ["errand": Tool.path, "PATH": "/usr/bin:/bin", "no_proxy": "*"]
    process.currentDirectoryURL = workingFolder ?? folder
    let files = ["output", "error", "input"].map { folder.appendingPathComponent($0) }
    try (input ?? Data()).write(to: files[2])
    for file in files[..<2] { try Data().write(to: file) }
    process.standardInput = try FileHandle(forReadingFrom: files[2])
    process.standardOutput = try terminal ?? FileHandle(forWritingTo: files[0])
    process.standardError = try terminal ?? FileHandle(forWritingTo: files[1])
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
    ended = stream
    process.terminationHandler = { _ in continuation.finish() }
    try process.run()
  }

  func send(_ signal: Int32) { kill(process.processIdentifier, signal) }

  /// Returns when the tool has printed this.
  func waitForOutput(_ text: String) async throws { try await wait(for: text, in: "output") }

  /// Returns when the tool has said this on standard error.
  func waitForError(_ text: String) async throws { try await wait(for: text, in: "error") }

  /// A file tells nobody that it grew, so it is looked at now and then.
  private func wait(for text: String, in file: String) async throws {
    let file = folder.appendingPathComponent(file)
    while try !String(contentsOf: file, encoding: .utf8).contains(text), process.isRunning {
      try await Task.sleep(for: .milliseconds(5))
    }
  }

  func result() async throws -> Tool.Result {
    for await _ in ended {}
    defer { try? FileManager.default.removeItem(at: folder) }
    let isSignal = process.terminationReason == .uncaughtSignal
    return Tool.Result(
      code: process.terminationStatus, signal: isSignal ? process.terminationStatus : nil,
      output: try Data(contentsOf: folder.appendingPathComponent("output")),
      error: try String(contentsOf: folder.appendingPathComponent("error"), encoding: .utf8))
  }
}

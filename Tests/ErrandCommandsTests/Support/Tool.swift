import Foundation

/// The built tool, run as its users run it.
enum Tool {
  struct Result {
    let code: Int32
    /// The signal that ended it, or nil.
    let signal: Int32?
    let output: Data
    let error: String
    var text: String { String(decoding: output, as: UTF8.self) }
  }

  static let path: String = {
    let beside = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
      .appendingPathComponent("errand").path
    if FileManager.default.isExecutableFile(atPath: beside) { return beside }
    let root = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../..").standardizedFileURL
    return root.appendingPathComponent(".build/debug/errand").path
  }()

  static func run(_ arguments: String..., input: Data? = nil, in folder: URL? = nil) async throws -> Result {
    try await Running(path, arguments, input: input, in: folder).result()
  }

  /// Runs a shell line in which `$errand` is the tool.
  static func shell(_ line: String, in folder: URL? = nil) async throws -> Result {
    try await Running("/bin/sh", ["-c", line], in: folder).result()
  }

  static func start(_ arguments: String..., in folder: URL? = nil) throws -> Running {
    try Running(path, arguments, in: folder)
  }
}

import Foundation
import Programs

/// The built tool, run like its users run it.
enum Tool {
  struct Result {
    let code: Int32
    /// The signal that ended it, or nil.
    let signal: Int32?
    let output: Data
    let error: String
    var text: String { String(decoding: output, as: UTF8.self) }
  }

  static let path = Program.built("errand")

  /// Runs another program of the package.
  static func run(program name: String) async throws -> Result {
    try await Running(Program.built(name), [], input: nil, in: nil).result()
  }

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

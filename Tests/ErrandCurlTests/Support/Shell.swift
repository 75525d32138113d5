import Foundation

/// Runs programs for tests.
enum Shell {
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  static func path(of program: String) -> String? {
    ["/usr/sbin/", "/usr/bin/", "/usr/local/bin/", "/opt/homebrew/bin/"].map { $0 + program }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
  }

  /// Runs a program to its end and returns what it wrote to standard output.
  @discardableResult
  static func run(_ program: String, _ arguments: [String], in folder: URL, input: Data = Data()) throws
    -> Data
  {
    guard let path = path(of: program) else { throw Failure(description: "\(program) is not installed") }
    let files = ["input", "output", "errors"].map { folder.appending(path: ".\($0)-\(UUID().uuidString)") }
    try input.write(to: files[0])
    try Data().write(to: files[1])
    let output = try FileHandle(forWritingTo: files[1])
    let process = try ChildProcess(
      path, arguments, in: folder.path, input: files[0].path, output: output.fileDescriptor,
      errors: files[2].path)
    guard process.wait() else {
      let said = (try? String(contentsOf: files[2], encoding: .utf8)) ?? ""
      throw Failure(description: "\(program) \(arguments.joined(separator: " ")) failed: \(said)")
    }
    return try Data(contentsOf: files[1])
  }
}

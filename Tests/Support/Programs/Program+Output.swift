package import Foundation

extension Program {
  package static func path(of name: String) -> String? {
    ["/usr/sbin/", "/usr/bin/", "/bin/", "/usr/local/bin/", "/opt/homebrew/bin/"].map { $0 + name }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
  }

  /// Returns the path of a program of this package: beside the running one, or in the debug build.
  package static func built(_ name: String) -> String {
    let beside = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: name)
    if FileManager.default.isExecutableFile(atPath: beside.path) { return beside.path }
    return URL(filePath: #filePath).appending(path: "../../../../.build/debug/\(name)").standardizedFileURL
      .path
  }

  /// Runs a program to its end and returns its standard output.
  @discardableResult
  package static func output(
    of name: String, _ arguments: [String], in folder: URL = FileManager.default.temporaryDirectory,
    input: Data = Data()
  ) async throws -> Data {
    guard let path = path(of: name) else { throw Failure(description: "\(name) is not installed") }
    let files = ["input", "output", "errors"].map { folder.appending(path: ".\($0)-\(UUID().uuidString)") }
    defer { for file in files { try? FileManager.default.removeItem(at: file) } }
    try input.write(to: files[0])
    for file in files[1...] { try Data().write(to: file) }
    let (output, errors) = try (FileHandle(forWritingTo: files[1]), FileHandle(forWritingTo: files[2]))
    let program = try Program(
      path, arguments, in: folder.path, input: files[0].path, output: output.fileDescriptor,
      errors: errors.fileDescriptor)
    guard await program.end() == .exited(0) else {
      let said = (try? String(contentsOf: files[2], encoding: .utf8)) ?? ""
      throw Failure(description: "\(name) \(arguments.joined(separator: " ")) failed: \(said)")
    }
    return try Data(contentsOf: files[1])
  }
}

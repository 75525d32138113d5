import ErrandTesting
import Foundation
import Programs
import TestSupport
import Testing

/// `errand upload --resume`, in processes that are interrupted and killed.
@Suite(.timeLimit(.minutes(3))) struct UploadCommandTests {
  private let folder: TemporaryFolder
  private let file: URL
  private let content = Data.seeded(8_000_000, 3)

  init() throws {
    folder = try TemporaryFolder()
    file = folder.file("film.mp4")
    try content.write(to: file)
  }

  private func run(_ arguments: String...) async throws -> Tool.Result { try await run(arguments) }

  private func run(_ arguments: [String]) async throws -> Tool.Result {
    let words = arguments.map { "'\($0)'" }.joined(separator: " ")
    return try await Tool.shell("XDG_STATE_HOME='\(folder.url.path)' \"$errand\" upload \(words)")
  }

  private var kept: [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: folder.path("errand/uploads"))) ?? []
  }

  @Test func `a second run continues an upload, and forgets it when it is complete`() async throws {
    let server = try UploadServer()
    server.fail(.cut(after: 1_000_000))
    let first = try await run(file.path, "\(server.url)", "--resume")
    #expect(first.code == 5 && first.error.contains("/files"))
    #expect(kept.count == 1)
    let second = try await run(file.path, "\(server.url)", "--resume")
    #expect(second.code == 0 && second.text == "stored")
    #expect(server.uploads.map(\.content) == [content])
    #expect(server.receivedBytes <= 8_100_000)
    #expect(kept.isEmpty)
  }

  @Test func `an upload by tus continues, too`() async throws {
    var rules = UploadServer.Rules()
    rules.dialects = [.tus]
    let server = try UploadServer(rules)
    server.fail(.cut(after: 1_000_000))
    #expect(try await run(file.path, "\(server.url)", "--resume", "--tus").code == 5)
    #expect(try await run(file.path, "\(server.url)", "--resume", "--tus").code == 0)
    #expect(server.uploads.map(\.content) == [content])
  }

  @Test(arguments: [[], ["--tus"]])
  func `no output and no recording has the URL of an upload`(_ options: [String]) async throws {
    let server = try UploadServer()
    let har = folder.path("calls.har")
    var output = ""
    for (isCut, way) in [(true, "--resume"), (false, "--resume"), (true, "--resume"), (false, "--abandon")] {
      if isCut { server.fail(.cut(after: 1_000_000)) }
      let result = try await run(
        [file.path, "\(server.url)", "--method", "POST", "--har", har, "-v", way]
          + (way == "--resume" ? options : []))
      #expect(result.code == (isCut ? 5 : 0))
      output += result.text + result.error
    }
    #expect(output.contains("> POST /files HTTP/1.1") && output.contains("> PATCH *** HTTP/1.1"))
    let recording = try String(contentsOfFile: har, encoding: .utf8)
    #expect(recording.contains("/***"))
    let paths = Set(server.server.requests.map(\.path)).subtracting(["/files"])
    #expect(paths.count == 2)
    for path in paths { #expect(!output.contains(path) && !recording.contains(path)) }
  }

  @Test func `an abandoned upload is removed`() async throws {
    let server = try UploadServer()
    server.fail(.cut(after: 1_000_000))
    #expect(try await run(file.path, "\(server.url)", "--resume").code == 5)
    let result = try await run(file.path, "\(server.url)", "--abandon")
    #expect(result.code == 0 && result.error.contains("removed"))
    #expect(server.uploads.isEmpty && kept.isEmpty)
    #expect(try await run(file.path, "\(server.url)", "--abandon").error.contains("no such upload"))
  }

  @Test func `options that cannot be combined are refused`() async throws {
    for arguments in [
      ["-", "http://a.test", "--resume"], [file.path, "http://a.test", "--resume", "--abandon"],
      [file.path, "http://a.test", "--tus"], [file.path, "http://a.test", "--resume", "--compress"],
      [file.path, "http://a.test", "--resume", "--guaranteed"],
    ] {
      let words = arguments.map { "'\($0)'" }.joined(separator: " ")
      #expect(try await Tool.shell("\"$errand\" upload \(words)").code == 2)
    }
  }

  @Test func `a file arrives once although its process is killed 40 times`() async throws {
    let server = try UploadServer()
    var random = SeededRandom(seed: 11)
    let state = folder.url.path
    for number in 0..<40 {
      let requests = server.server.requests.count
      let received = server.receivedBytes
      server.fail(.stall(after: Int.random(in: 1...120_000, using: &random)))
      let program = try Program(
        Tool.path, ["upload", file.path, "\(server.url)", "--method", "POST", "--resume"],
        environment: ["XDG_STATE_HOME": state, "PATH": "/usr/bin:/bin", "no_proxy": "*"], in: state)
      // At the first request, at the second one, or in the middle of the content.
      let moment = Int.random(in: 0..<3, using: &random)
      try await waitUntil {
        switch moment {
        case 0: server.server.requests.count > requests
        case 1:
          server.server.requests.count > requests + (number == 0 ? 0 : 1) || server.receivedBytes > received
        default: server.receivedBytes > received
        }
      }
      program.send(SIGKILL)
      _ = await program.end()
      // A fault that the killed process has not met is not for the next one.
      server.clearFaults()
    }
    let last = try await run(file.path, "\(server.url)", "--method", "POST", "--resume")
    #expect(last.code == 0 && last.text == "stored")
    let complete = server.uploads.filter(\.isComplete)
    #expect(complete.map(\.content) == [content])
    #expect(kept.isEmpty)
  }
}

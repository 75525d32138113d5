import ErrandCore
import Foundation
import Programs
import TestSupport

/// A real HTTP/2 server that logs its frames.
final class Nghttpd: Sendable {
  let port: Int
  private let folder: TemporaryFolder
  private let program: Program
  private let pipe = Pipe()
  private let log = Locked("")
  private let lines: AsyncStream<String>

  /// The file of the authority to trust.
  let authority: String?

  /// - Parameters:
  ///   - files: The lengths of the files, by name.
  ///   - trailer: A field to send after each response; nil for none. Default: nil.
  init(files: [String: Int], tls: Bool, trailer: String? = nil) async throws {
    folder = try TemporaryFolder()
    authority = tls ? try await Certificates(in: folder).authority : nil
    for (name, length) in files {
      try Data(count: length).write(to: folder.url.appending(path: name))
    }
    port = try FreePort.take()
    guard let path = Program.path(of: "nghttpd") else {
      throw Program.Failure(description: "nghttpd is not installed")
    }
    let output = pipe.fileHandleForWriting
    for end in [output, pipe.fileHandleForReading] { _ = fcntl(end.fileDescriptor, F_SETFD, FD_CLOEXEC) }
    program = try Program(
      path,
      ["-v", "-a", "127.0.0.1", "-d", folder.url.path] + (tls ? [] : ["--no-tls"])
        + (trailer.map { ["--trailer", $0] } ?? [])
        + ["\(port)"]
        + (tls ? ["good.key", "good.pem"] : []), in: folder.url.path,
      output: output.fileDescriptor)
    try output.close()
    let (lines, source) = AsyncStream<String>.makeStream()
    self.lines = lines
    pipe.fileHandleForReading.readabilityHandler = { handle in
      let data = handle.availableData
      if data.isEmpty { source.finish() } else { source.yield(String(decoding: data, as: UTF8.self)) }
    }
  }

  deinit {
    pipe.fileHandleForReading.readabilityHandler = nil
    program.send(SIGKILL)
  }

  /// Returns how often the part of the log that was read contains this text.
  func count(of text: String) -> Int { log.withLock { Self.count(of: text, in: $0) } }

  private static func count(of text: String, in log: String) -> Int {
    log.components(separatedBy: text).count - 1
  }

  /// Returns when the log, from its beginning, contains one of these texts `count` times.
  func wait(for text: String, or other: String? = nil, count: Int = 1) async throws {
    func isThere(_ log: String) -> Bool {
      Self.count(of: text, in: log) >= count || other.map { log.contains($0) } ?? false
    }
    if log.withLock({ isThere($0) }) { return }
    for await piece in lines {
      let isHere = log.withLock { log in
        log += piece
        return isThere(log)
      }
      if isHere { return }
    }
    throw Program.Failure(description: "nghttpd ended without \(text): \(log.withLock { $0 })")
  }
}

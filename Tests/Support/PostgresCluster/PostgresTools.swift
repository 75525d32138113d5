import Foundation
import Programs

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// PostgreSQL's programs. The server does not run as root, so with root's rights they run as the user
/// `postgres`, which the package creates.
struct PostgresTools: Sendable {
  private let folder: String
  private let prefix: [String]

  /// - Throws: If PostgreSQL is not installed.
  init() throws {
    let places = [
      "/usr/lib/postgresql", "/opt/homebrew/opt", "/usr/local/opt",
    ].flatMap { parent in
      ((try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? []).sorted().reversed().map {
        "\(parent)/\($0)/bin"
      }
    }
    let found = (places + ["/usr/bin", "/usr/local/bin"]).first {
      FileManager.default.isExecutableFile(atPath: "\($0)/initdb")
    }
    guard let found else {
      throw Program.Failure(description: "PostgreSQL's server is not installed: scripts/install test")
    }
    folder = found
    prefix = getuid() == 0 ? ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] : []
  }

  /// Makes the server's user the owner of a folder.
  func giveAway(_ folder: URL) throws {
    guard !prefix.isEmpty else { return }
    guard let user = getpwnam("postgres"), chown(folder.path, user.pointee.pw_uid, user.pointee.pw_gid) == 0
    else {
      throw Program.Failure(description: "the user postgres, as whom the server must run, does not exist")
    }
  }

  @discardableResult
  func run(
    _ tool: String, _ arguments: [String], environment: [String] = [], input: Data = Data()
  ) async throws -> String {
    let words = prefix + ["env"] + environment + ["\(folder)/\(tool)"] + arguments
    return try await output(words, input: input)
  }

  func shell(_ script: String, input: Data) async throws {
    _ = try await output(prefix + ["/bin/sh", "-c", script], input: input)
  }

  private func output(_ words: [String], input: Data) async throws -> String {
    let name = words[0].hasPrefix("/") ? "env" : words[0]
    let arguments = words[0].hasPrefix("/") ? words : Array(words.dropFirst())
    return String(decoding: try await Program.output(of: name, arguments, input: input), as: UTF8.self)
  }
}

import ErrandCore
package import Foundation
import Programs

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A PostgreSQL server for the tests, in a temporary folder. It ends with the process that started it,
/// however that ends: a watching process holds the other end of a pipe.
package final class PostgresCluster: Sendable {
  package enum StopMode: String, Sendable {
    /// Ends connections and writes everything to the disk.
    case fast
    /// Ends as in a power loss.
    case immediate
  }

  /// The folder, with the server's log in `log`.
  package let folder: URL
  /// The TCP port on 127.0.0.1.
  package let port: Int
  private let tools: PostgresTools
  private let hasOwnClock: Bool
  private let pipe: Int32

  private static let starting = Locked<Task<PostgresCluster, any Error>?>(nil)

  /// One cluster for all tests of this process, started at its first use.
  package static func shared() async throws -> PostgresCluster {
    let task = starting.withLock { starting in
      let task = starting ?? Task { try await PostgresCluster() }
      starting = task
      return task
    }
    return try await task.value
  }

  /// Creates a cluster and starts it.
  /// - Parameters:
  ///   - isDurable: True to wait for the disk at each commit.
  ///   - options: Lines for `postgresql.conf`.
  ///   - hasOwnClock: True if `setClock` is going to set its clock.
  package init(isDurable: Bool = false, options: [String] = [], hasOwnClock: Bool = false) async throws {
    tools = try PostgresTools()
    self.hasOwnClock = hasOwnClock
    port = try FreePort.take()
    folder = URL(filePath: "/tmp").appending(path: "errand-pg-\(UUID().uuidString.prefix(8))")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    pipe = try Self.watch(folder)
    try tools.giveAway(folder)
    let data = folder.appending(path: "data").path
    try await tools.run(
      "initdb", ["-D", data, "-U", "postgres", "-E", "UTF8", "--locale=C.UTF-8", "-A", "trust", "-N"])
    let durability = isDurable ? [] : ["fsync = off", "full_page_writes = off"]
    try await append(
      [
        "listen_addresses = '127.0.0.1'", "port = \(port)", "unix_socket_directories = '\(folder.path)'",
        "max_connections = 300", "shared_buffers = 128MB", "max_wal_size = 1GB", "log_min_messages = warning",
        "deadlock_timeout = 200ms",
      ] + durability + options, to: "data/postgresql.conf")
    // Only the role of the tests for passwords requires one.
    try await write(
      [
        "local all all trust", "host all with_password 127.0.0.1/32 scram-sha-256",
        "host all all 127.0.0.1/32 trust",
        "local replication all trust", "host replication all 127.0.0.1/32 trust",
      ], to: "data/pg_hba.conf")
    if hasOwnClock { try await setClock(by: .zero) }
    try await start()
  }

  deinit { _ = close(pipe) }

  /// The URL of a database, as the superuser or another role.
  package func url(database: String = "postgres", user: String = "postgres", port: Int? = nil) -> String {
    "postgres://\(user)@127.0.0.1:\(port ?? self.port)/\(database)"
  }

  package func start() async throws {
    let data = folder.appending(path: "data").path
    try await tools.run(
      "pg_ctl", ["-D", data, "-l", "\(folder.path)/log", "-w", "-s", "start"],
      environment: hasOwnClock ? clockEnvironment : [])
  }

  package func stop(_ mode: StopMode = .fast) async throws {
    let data = folder.appending(path: "data").path
    try await tools.run("pg_ctl", ["-D", data, "-m", mode.rawValue, "-w", "-s", "stop"])
  }

  /// Runs statements with psql, and returns its output: rows without alignment.
  @discardableResult
  package func psql(_ sql: String, database: String = "postgres", user: String = "postgres") async throws
    -> String
  {
    try await tools.run(
      "psql", ["-XAtq", "-v", "ON_ERROR_STOP=1", url(database: database, user: user)], input: Data(sql.utf8))
  }

  /// Creates a database with a unique name, and returns the name.
  package func makeDatabase(_ options: String = "") async throws -> String {
    let name = "d\(UUID().uuidString.lowercased().prefix(13).filter { $0 != "-" })"
    try await psql("CREATE DATABASE \(name) \(options)")
    return name
  }

  /// Runs one of PostgreSQL's programs, as the cluster's user.
  @discardableResult
  package func run(_ tool: String, _ arguments: [String]) async throws -> String {
    try await tools.run(tool, arguments)
  }

  /// Runs a shell's commands as the cluster's user.
  package func shell(_ script: String, input: Data = Data()) async throws {
    try await tools.shell(script, input: input)
  }

  // MARK: Files

  private func write(_ lines: [String], to file: String) async throws {
    try await shell(
      "cat > '\(folder.path)/\(file)'", input: Data((lines.joined(separator: "\n") + "\n").utf8))
  }

  private func append(_ lines: [String], to file: String) async throws {
    try await shell(
      "cat >> '\(folder.path)/\(file)'", input: Data((lines.joined(separator: "\n") + "\n").utf8))
  }

  /// Starts the process that ends the server and removes the folder when this process has ended.
  /// - Returns: The end of the pipe that this process holds.
  private static func watch(_ folder: URL) throws -> Int32 {
    let path = folder.appending(path: "watch").path
    guard mkfifo(path, 0o600) == 0 else { throw Program.Failure(description: "no pipe in \(folder.path)") }
    let file = open(path, O_RDWR | O_CLOEXEC)
    guard file >= 0 else { throw Program.Failure(description: "\(path) cannot be opened") }
    let script = """
      cat >/dev/null
      for file in "$0"/pooler-*/pid; do [ -f "$file" ] && kill $(cat "$file"); done
      [ -f "$0/data/postmaster.pid" ] && kill -QUIT $(head -n 1 "$0/data/postmaster.pid") &&
        kill -CONT $(head -n 1 "$0/data/postmaster.pid")
      while [ -f "$0/data/postmaster.pid" ] && kill -0 $(head -n 1 "$0/data/postmaster.pid") 2>/dev/null; do sleep 0.1; done
      rm -rf "$0"
      """
    _ = try Program("/bin/sh", ["-c", script, folder.path], input: path)
    return file
  }
}

import Foundation

/// What goes wrong with a server, on purpose.
extension PostgresCluster {
  /// Starts the server as one that follows another and reads only. It must be stopped.
  package func startAsStandby() async throws {
    try await shell("touch '\(folder.path)/data/standby.signal'")
    try await start()
  }

  /// Makes the standby the primary server.
  package func promote() async throws {
    try await run("pg_ctl", ["-D", folder.appending(path: "data").path, "-w", "-s", "promote"])
  }

  /// Stops all processes of the server: connections to it can be made, and it responds to nothing until `resume`.
  package func stall() async throws {
    // The first process starts the others, so it is stopped before these are listed.
    try await shell("\(processes); kill -STOP $server; kill -STOP $(pgrep -P $server)")
  }

  /// Lets a server that was stalled continue.
  package func resume() async throws {
    try await shell("\(processes); kill -CONT $(pgrep -P $server); kill -CONT $server")
  }

  private var processes: String { "server=$(head -n 1 '\(folder.path)/data/postmaster.pid')" }

  private static let clockLibrary = ["x86_64", "aarch64"].lazy
    .map { "/usr/lib/\($0)-linux-gnu/faketime/libfaketime.so.1" }
    .first { FileManager.default.fileExists(atPath: $0) }

  /// True if the library is installed that sets a server's clock.
  package static var canSetClock: Bool { clockLibrary != nil }

  /// Gives the server a clock that `setClock` sets. Its timers stay those of the machine.
  var clockEnvironment: [String] {
    [
      "LD_PRELOAD=\(Self.clockLibrary ?? "")", "FAKETIME_TIMESTAMP_FILE=\(folder.path)/clock",
      "FAKETIME_NO_CACHE=1", "FAKETIME_DISABLE_SHM=1", "FAKETIME_DONT_FAKE_MONOTONIC=1",
    ]
  }

  /// Sets the server's clock: `change` is its difference from the machine's.
  package func setClock(by change: Duration) async throws {
    let seconds = change.components.seconds
    try await shell(
      "cat > '\(folder.path)/clock.new' && mv '\(folder.path)/clock.new' '\(folder.path)/clock'",
      input: Data("\(seconds < 0 ? "" : "+")\(seconds)s\n".utf8))
  }

  /// Lets connections that are made from now on write files up to a length only, or to any length: nil. What
  /// is longer ends in the middle of a page, as on a disk that is full.
  package func limitFiles(to length: Int?) async throws {
    let limit = length.map { "\($0)" } ?? "unlimited"
    try await shell(
      "prlimit --pid $(head -n 1 '\(folder.path)/data/postmaster.pid') --fsize=\(limit):unlimited")
  }
}

import Foundation

/// Faults of a server, for tests.
extension PostgresCluster {
  /// Starts a server that follows another and is read-only. It must be stopped.
  package func startAsStandby() async throws {
    try await shell("touch '\(folder.path)/data/standby.signal'")
    try await start()
  }

  /// Makes the standby the primary server.
  package func promote() async throws {
    try await run("pg_ctl", ["-D", folder.appending(path: "data").path, "-w", "-s", "promote"])
  }

  /// Stops all processes of the server: clients can connect to it, and get no response until `resume`.
  package func stall() async throws {
    // The first process starts the others, so it is stopped before these are listed.
    try await shell("\(processes); kill -STOP $server; kill -STOP $(pgrep -P $server)")
  }

  /// Lets a stalled server continue.
  package func resume() async throws {
    try await shell("\(processes); kill -CONT $(pgrep -P $server); kill -CONT $server")
  }

  private var processes: String { "server=$(head -n 1 '\(folder.path)/data/postmaster.pid')" }

  private static let clockLibrary = ["x86_64", "aarch64"].lazy
    .map { "/usr/lib/\($0)-linux-gnu/faketime/libfaketime.so.1" }
    .first { FileManager.default.fileExists(atPath: $0) }

  /// True if the library is installed that sets a server's clock.
  package static var canSetClock: Bool { clockLibrary != nil }

  /// Gives the server a clock that `setClock` sets. Its timers remain those of the machine.
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

  /// Limits the length of files that new connections write; nil removes the limit. A longer write ends in the
  /// middle of a page, as on a full disk.
  package func limitFiles(to length: Int?) async throws {
    let limit = length.map { "\($0)" } ?? "unlimited"
    try await shell(
      "prlimit --pid $(head -n 1 '\(folder.path)/data/postmaster.pid') --fsize=\(limit):unlimited")
  }
}

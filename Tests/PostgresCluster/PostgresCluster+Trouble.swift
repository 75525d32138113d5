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

  /// Lets connections that are made from now on write files up to a length only, or to any length: nil. What
  /// is longer ends in the middle of a page, as on a disk that is full.
  package func limitFiles(to length: Int?) async throws {
    let limit = length.map { "\($0)" } ?? "unlimited"
    try await shell(
      "prlimit --pid $(head -n 1 '\(folder.path)/data/postmaster.pid') --fsize=\(limit):unlimited")
  }
}

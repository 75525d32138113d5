import Foundation
import Programs

/// pgbouncer in transaction mode in front of a cluster: statements of one client use different connections.
package final class Pooler: Sendable {
  package let port: Int
  private let cluster: PostgresCluster
  private let folder: URL

  package static let isInstalled = Program.path(of: "pgbouncer") != nil

  /// - Parameter connections: The maximum number of connections to the server, for all clients together.
  package init(before cluster: PostgresCluster, connections: Int) async throws {
    self.cluster = cluster
    port = try FreePort.take()
    folder = cluster.folder.appending(path: "pooler-\(port)")
    let settings = """
      [databases]
      * = host=127.0.0.1 port=\(cluster.port) user=postgres
      [pgbouncer]
      listen_addr = 127.0.0.1
      listen_port = \(port)
      unix_socket_dir =
      auth_type = any
      pool_mode = transaction
      default_pool_size = \(connections)
      max_client_conn = 1000
      logfile = \(folder.path)/log
      pidfile = \(folder.path)/pid
      """
    try await cluster.shell(
      "mkdir '\(folder.path)'; cat > '\(folder.path)/settings'", input: Data(settings.utf8))
    try await start()
  }

  private func start() async throws {
    // It goes to the background when its port is open.
    try await cluster.shell("pgbouncer -q -d '\(folder.path)/settings'")
  }

  /// Ends it at once, with all connections.
  package func stop() async throws {
    let script =
      "id=$(cat '\(folder.path)/pid'); kill $id; while kill -0 $id 2>/dev/null; do sleep 0.01; done"
    try await cluster.shell(script)
  }

  package func restart() async throws {
    try await stop()
    try await start()
  }

  package func url() -> String { cluster.url(port: port) }
}

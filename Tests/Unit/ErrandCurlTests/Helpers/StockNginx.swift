import Foundation
import Programs
import TestSupport

/// nginx with its default settings, with TLS, HTTP/2 and a proxied server.
final class StockNginx: Sendable {
  let authority: String
  let port: Int
  private let folder: TemporaryFolder

  /// - Parameters:
  ///   - port: The port of the proxied server.
  ///   - settings: Lines for the server's block. If empty, nginx's defaults apply.
  init(before port: Int, _ settings: String = "") async throws {
    folder = try TemporaryFolder()
    let certificates = try await Certificates(in: folder)
    authority = certificates.authority
    self.port = try FreePort.take()
    try folder.write(
      """
      pid nginx.pid;
      error_log error.log;
      worker_processes 2;
      events {}
      http {
        access_log off;
        client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi;
        uwsgi_temp_path uwsgi; scgi_temp_path scgi;
        server {
          listen 127.0.0.1:\(self.port) ssl http2;
          ssl_certificate \(certificates.path("good.pem"));
          ssl_certificate_key \(certificates.path("good.key"));
          client_max_body_size 100m;
          \(settings)
          location / { proxy_pass http://127.0.0.1:\(port); }
          location = /status/200 { return 200 "fine"; }
          location = /status/302 { return 302 /status/200; }
          location = /status/401 { return 401 "who"; }
          location = /status/429 { return 429 "later"; }
          location = /status/503 { return 503 "away"; }
          location = /small { client_max_body_size 1k; proxy_pass http://127.0.0.1:\(port); }
        }
      }
      """, to: "nginx.conf")
    try await run()
  }

  deinit { kill(SIGTERM) }

  /// Replaces the workers, like a new configuration does: the old ones end their connections.
  func reload() { kill(SIGHUP) }

  func url(_ path: String) -> String { "https://127.0.0.1:\(port)\(path)" }

  private func run() async throws {
    // nginx goes to the background when its ports are open.
    try await Program.output(
      of: "nginx", ["-p", folder.url.path, "-c", "nginx.conf", "-e", "error.log"], in: folder.url)
  }

  private func kill(_ signal: Int32) {
    let text = (try? String(contentsOfFile: folder.path("nginx.pid"), encoding: .utf8)) ?? ""
    if let id = pid_t(text.trimmingCharacters(in: .whitespacesAndNewlines)) {
      _ = Foundation.kill(id, signal)
    }
  }
}

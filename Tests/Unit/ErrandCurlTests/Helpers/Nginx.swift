import Foundation
import Programs
import TestSupport

/// A real nginx on 127.0.0.1 with TLS: one port for each certificate, HTTP/2 on all of them.
final class Nginx: Sendable {
  let certificates: Certificates
  private let folder: TemporaryFolder
  private let ports: [String: Int]

  /// - Parameter port: The port that `/behind` leads to.
  init(behind port: Int = 9) async throws {
    folder = try TemporaryFolder()
    certificates = try await Certificates(in: folder)
    let names = ["good", "wrong-host", "unknown", "expired", "client", "old"]
    ports = Dictionary(uniqueKeysWithValues: try names.map { ($0, try FreePort.take()) })
    let behind = port
    let servers = ports.map { name, port in
      """
      server {
        listen 127.0.0.1:\(port) ssl http2;
        ssl_certificate \(folder.path(Self.certificate(name))).pem;
        ssl_certificate_key \(folder.path(Self.certificate(name))).key;
        ssl_protocols \(name == "old" ? "TLSv1.2" : "TLSv1.2 TLSv1.3");
        \(Self.settings[name] ?? "")
        location /client { return 200 "$ssl_client_s_dn $ssl_protocol"; }
        location /to { return 302 https://$arg_host/client; }
        location /hello { add_header X-Connection $connection; return 200 "hello"; }
        location /behind { proxy_pass http://127.0.0.1:\(behind)/; }
        location /down { return 302 http://127.0.0.1:9/; }
      }
      """
    }
    try folder.write(
      """
      pid nginx.pid;
      error_log error.log;
      worker_processes 1;
      events { worker_connections 512; }
      http {
        access_log off;
        client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi;
        uwsgi_temp_path uwsgi; scgi_temp_path scgi;
        \(servers.joined(separator: "\n"))
      }
      """, to: "nginx.conf")
    // nginx goes to the background when its ports are open.
    try await Program.output(of: "nginx", arguments, in: folder.url)
  }

  /// Additional servers with the good certificate.
  private static let settings = [
    "client": "ssl_client_certificate ca.pem; ssl_verify_client on; ssl_verify_depth 3;",
    "old": "",
  ]

  private static func certificate(_ name: String) -> String { settings[name] == nil ? name : "good" }

  deinit {
    let number = try? String(contentsOfFile: folder.path("nginx.pid"), encoding: .utf8)
    if let id = number.flatMap({ pid_t($0.trimmingCharacters(in: .whitespacesAndNewlines)) }) {
      kill(id, SIGTERM)
    }
  }

  private var arguments: [String] { ["-p", folder.url.path, "-c", "nginx.conf", "-e", "error.log"] }

  func port(_ certificate: String) -> Int { ports[certificate]! }

  func url(_ certificate: String, host: String = "localhost", _ path: String = "/hello") -> String {
    "https://\(host):\(port(certificate))\(path)"
  }
}

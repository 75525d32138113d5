import Foundation
import Programs
import TestSupport

/// A web server that others wrote, on a free port of 127.0.0.1, with files whose responses may be cached.
final class WebServer: Sendable {
  enum Kind: String, Sendable {
    case nginx
    case apache = "apache2"
    /// Varnish and Squid are caches in front of nginx.
    case varnish = "varnishd"
    case squid

    var isInstalled: Bool { Program.path(of: rawValue) != nil }
  }

  let kind: Kind
  let port: Int
  private let folder: TemporaryFolder
  private let programs: [Program]

  /// Starts the server, and waits until it responds.
  init(_ kind: Kind) async throws {
    self.kind = kind
    let folder = try TemporaryFolder()
    self.folder = folder
    // The servers of a superuser read the files as another user.
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.url.path)
    try FileManager.default.createDirectory(at: folder.file("www"), withIntermediateDirectories: true)
    let back = try FreePort.take()
    let port = kind == .nginx || kind == .apache ? back : try FreePort.take()
    self.port = port
    let files = Files(folder: folder.url.path, port: port, back: back)
    if kind != .apache { try folder.write(files.nginx, to: "nginx.conf") }
    if kind == .apache { try folder.write(files.apache, to: "apache.conf") }
    if kind == .squid { try folder.write(files.squid, to: "squid.conf") }
    var programs: [Program] = []
    func start(_ name: String, _ arguments: [String]) throws {
      guard let path = Program.path(of: name) else {
        throw Program.Failure(description: "\(name) is not installed")
      }
      programs.append(try Program(path, arguments, in: folder.url.path))
    }
    if kind != .apache {
      try start(
        "nginx", ["-p", folder.url.path, "-c", "nginx.conf", "-e", "error.log", "-g", "daemon off;"])
    }
    switch kind {
    case .nginx: break
    case .apache: try start("apache2", ["-DFOREGROUND", "-f", folder.path("apache.conf")])
    case .squid: try start("squid", ["-N", "-f", "squid.conf"])
    case .varnish:
      try start(
        "varnishd",
        [
          "-F", "-j", "none", "-n", folder.path("varnish"), "-s", "malloc,16m", "-a", "127.0.0.1:\(port)",
          "-b", "127.0.0.1:\(back)",
        ])
    }
    self.programs = programs
    let ports = Set([back, port])
    try await waitUntil {
      if let ended = programs.first(where: { !$0.isRunning }) {
        throw Program.Failure(description: "\(kind) has ended with \(await ended.end())")
      }
      return ports.allSatisfy(FreePort.accepts)
    }
  }

  deinit { for program in programs { program.send(SIGTERM) } }

  /// Ends all its processes.
  func stop() async { await stop(programs) }

  /// Ends the server behind the cache.
  func stopBack() async { await stop(Array(programs.prefix(1))) }

  private func stop(_ programs: [Program]) async {
    for program in programs {
      program.send(SIGTERM)
      _ = await program.end()
    }
  }

  /// The last lines of its logs.
  var logs: String {
    ["cache.log", "error.log"].map { name in
      let text = (try? String(contentsOfFile: folder.path(name), encoding: .utf8)) ?? "none"
      return "\(name): \(text.suffix(2000))"
    }.joined(separator: "\n")
  }

  func url(_ path: String) -> String { "http://127.0.0.1:\(port)\(path)" }

  /// Writes a file that `/NAME`, `/old/NAME`, `/strict/NAME` and `/lenient/NAME` lead to.
  func write(_ data: Data, to name: String) throws {
    try data.write(to: folder.file("www").appending(path: name))
  }
}

/// The configuration files of the servers. They set what depends on the place, and what an administrator sets for caching.
private struct Files {
  let folder: String
  let port: Int
  let back: Int

  var nginx: String {
    """
    pid nginx.pid;
    error_log error.log;
    worker_processes 1;
    events {}
    http {
      access_log off;
      client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi;
      uwsgi_temp_path uwsgi; scgi_temp_path scgi;
      types { text/html html; text/plain txt; application/octet-stream bin; }
      sendfile on;
      tcp_nopush on;
      gzip on;
      gzip_types text/plain;
      gzip_proxied any;
      server {
        listen 127.0.0.1:\(back);
        root www;
        gzip_vary on;
        location / {
          if ($request_method = POST) { return 204; }
          expires 600s;
        }
        location /old/ { alias www/; expires 600s; add_header Age 500; }
        location /strict/ { alias www/; add_header Cache-Control "max-age=600, must-revalidate"; }
        location /lenient/ { alias www/; add_header Cache-Control "max-age=600, stale-if-error=6000"; }
        location /unvaried/ { alias www/; gzip_vary off; expires 600s; }
      }
    }
    """
  }

  var apache: String {
    let modules = ["mpm_event", "authz_core", "mime", "filter", "deflate", "expires"].map {
      "LoadModule \($0)_module /usr/lib/apache2/modules/mod_\($0).so"
    }
    return """
      ServerName localhost
      Listen 127.0.0.1:\(port)
      PidFile \(folder)/apache.pid
      DefaultRuntimeDir \(folder)
      ErrorLog \(folder)/error.log
      \(modules.joined(separator: "\n"))
      \(geteuid() == 0 ? "User www-data\nGroup www-data" : "")
      TypesConfig /dev/null
      AddType text/html html
      AddType text/plain txt
      AddOutputFilterByType DEFLATE text/html text/plain
      ExpiresActive On
      ExpiresDefault "access plus 600 seconds"
      DocumentRoot \(folder)/www
      <Directory \(folder)/www>
        Require all granted
      </Directory>
      """
  }

  var squid: String {
    """
    http_port 127.0.0.1:\(port) accel defaultsite=127.0.0.1 no-vhost
    cache_peer 127.0.0.1 parent \(back) 0 no-query originserver
    http_access allow all
    cache_mem 16 MB
    pid_filename none
    access_log none
    cache_log \(folder)/cache.log
    netdb_filename none
    coredump_dir none
    shutdown_lifetime 0 seconds
    """
  }
}

import ErrandCore
import ErrandCurl
import ErrandUploads
import Foundation
import Programs
import TestSupport
import Testing

/// Uploads to tuspyserver, at its defaults, and through nginx with its defaults.
@Suite(
  .timeLimit(.minutes(2)),
  .enabled("SKIPPED: tuspyserver is not installed (scripts/peers installs it)") {
    await TusPyServer.isInstalled
  })
struct TusPyServerTests {
  private static let content = Data.seeded(5_000_000)

  private static func client() -> Client {
    var configuration = ClientConfiguration()
    configuration.retry.backoff = .milliseconds(10)
    return Client(transport: CurlTransport(), configuration: configuration)
  }

  @Test(arguments: [UploadResumption.automatic, .tus])
  func `a file arrives at tuspyserver`(_ resumption: UploadResumption) async throws {
    let server = try await TusPyServer()
    let folder = try TemporaryFolder()
    let file = folder.file("film.mp4")
    try Self.content.write(to: file)
    let sent = Locked<Int64>(0)
    let response = try await Self.client().upload(file, to: server.url, resuming: resumption) { progress in
      sent.withLock { $0 = progress.sent }
    }
    #expect(response.status.isSuccess && response.fields["Upload-Offset"] == "5000000")
    #expect(sent.withLock { $0 } == 5_000_000)
    #expect(try server.files() == [Self.content])
  }

  @Test func `an upload to tuspyserver continues after its proxy was killed`() async throws {
    let server = try await TusPyServer()
    let settings = "client_max_body_size 0; proxy_request_buffering off;"
    let nginx = try await ProxyingNginx(before: server.port, settings)
    let content = Data.seeded(60_000_000, 2)
    var configuration = ClientConfiguration()
    configuration.retry.maxAttempts = 30
    configuration.retry.backoff = .milliseconds(200)
    let client = Client(transport: CurlTransport(), configuration: configuration)
    let task = Task { try await client.upload(.post(nginx.url("/files"), .bytes(content)), resuming: .tus) }
    try await waitUntil { try server.sizes().contains { $0 > 1_000_000 } }
    await nginx.kill()
    let again = try await ProxyingNginx(before: server.port, settings, port: nginx.port)
    let response = try await task.value
    #expect(response.fields["Upload-Offset"] == "60000000")
    #expect(try server.files() == [content])
    withExtendedLifetime(again) {}
  }

  @Test func `an upload is divided for nginx with its defaults`() async throws {
    let server = try await TusPyServer()
    let nginx = try await ProxyingNginx(before: server.port)
    let response = try await Self.client().upload(
      .post(nginx.url("/files"), .bytes(Self.content)), resuming: .tus)
    #expect(response.fields["Upload-Offset"] == "5000000")
    #expect(try server.files() == [Self.content])
  }
}

/// A tuspyserver in a separate process.
final class TusPyServer: Sendable {
  private static let python: String? = {
    if let path = ProcessInfo.processInfo.environment["ERRAND_PYTHON"] { return path.isEmpty ? nil : path }
    let own = URL(filePath: #filePath).appending(path: "../../../../.build/peers/bin/python3")
      .standardizedFileURL
    return FileManager.default.isExecutableFile(atPath: own.path) ? own.path : nil
  }()

  static var isInstalled: Bool {
    get async {
      guard let python else { return false }
      return (try? await Program.output(of: "env", [python, "-c", "import tuspyserver, uvicorn"])) != nil
    }
  }

  private static let source = """
    import sys, uvicorn
    from fastapi import FastAPI
    from tuspyserver import create_tus_router
    app = FastAPI()
    app.include_router(create_tus_router(files_dir=sys.argv[2]))
    uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[1]), log_level="error")
    """

  private let program: Program
  private let folder: TemporaryFolder
  let port: Int

  init() async throws {
    folder = try TemporaryFolder()
    port = try FreePort.take()
    let output = folder.file("output")
    try folder.write("", to: "output")
    let handle = try FileHandle(forWritingTo: output)
    program = try Program(
      "/usr/bin/env", [Self.python ?? "python3", "-c", Self.source, "\(port)", folder.path("files")],
      in: folder.url.path, output: handle.fileDescriptor, errors: handle.fileDescriptor)
    try handle.close()
    try await waitUntil { [program, port] in
      guard program.isRunning else { throw Program.Failure(description: "tuspyserver has ended") }
      return FreePort.accepts(port)
    }
  }

  deinit { program.send(SIGKILL) }

  var url: URL { URL(string: "http://127.0.0.1:\(port)/files") ?? URL(filePath: "/") }

  /// The sizes of the files of uploads.
  func sizes() throws -> [Int] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path("files"))) ?? []
    return names.compactMap {
      try? FileManager.default.attributesOfItem(atPath: folder.path("files/\($0)"))[.size] as? Int
    }
  }

  /// The contents of the uploads, complete or not.
  func files() throws -> [Data] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path("files"))) ?? []
    return try names.filter { !$0.contains(".") }.sorted()
      .map { try Data(contentsOf: folder.file("files").appending(path: $0)) }
  }
}

/// An nginx with its defaults before a server.
final class ProxyingNginx: Sendable {
  private let program: Program
  private let folder: TemporaryFolder
  let port: Int

  init(before server: Int, _ settings: String = "", port: Int? = nil) async throws {
    folder = try TemporaryFolder()
    self.port = try port ?? FreePort.take()
    try folder.write(
      """
      pid nginx.pid; error_log error.log; worker_processes 1; daemon off;
      events {}
      http {
        access_log off;
        client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi;
        uwsgi_temp_path uwsgi; scgi_temp_path scgi;
        server {
          listen 127.0.0.1:\(self.port);
          \(settings)
          location / { proxy_pass http://127.0.0.1:\(server); proxy_set_header Host $http_host; }
        }
      }
      """, to: "nginx.conf")
    program = try Program(
      "/usr/bin/env", ["nginx", "-p", folder.url.path, "-c", "nginx.conf", "-e", "error.log"])
    try await waitUntil { [port = self.port] in FreePort.accepts(port) }
  }

  /// Ends the workers, too, whose connections break.
  func kill() async {
    program.send(SIGTERM)
    _ = await program.end()
  }

  deinit { program.send(SIGTERM) }

  func url(_ path: String) -> URL { URL(string: "http://127.0.0.1:\(port)\(path)") ?? URL(filePath: "/") }
}

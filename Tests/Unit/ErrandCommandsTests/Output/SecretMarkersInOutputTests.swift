import ErrandCore
import ErrandTesting
import Foundation
import TestSupport
import Testing

/// Puts a marker in every place of a command line where a secret can be, and searches all output and files
/// for it.
@Suite(.timeLimit(.minutes(2))) struct SecretMarkersInOutputTests {
  private static let marker = "mk0f1e2d3c4b5a"

  private static let lines = [
    "get 'http://HOST/none?%74oken=M'", "get 'http://u:M@HOST/none'",
    "get --output json 'http://HOST/none?api-key=M#code=M'",
    "get -v 'http://HOST/away'", "get --output json 'http://HOST/away'", "get 'http://HOST/ a?token=M'",
    "get 'HOST/none?token=M'", "get '/?token=M'", "get 'http://u:M@127.0.0.1:1/;token=M'",
    "get http://HOST/ 'http://u:M@h/?token=M'",
    "'http://u:M@HOST/none?token=M'", "'u:M@HOST/?token=M'", "send 'http://u:M@HOST/?sig=M' http://HOST/",
    "get -H 'Authorization Bearer M' http://HOST/",
    "post -j M http://HOST/", "get --proxy 'ftp://u:M@h' http://HOST/",
    "get --proxy 'http://u:M@127.0.0.1:1' http://HOST/",
    "get --proxy 'http://u:M/x@127.0.0.1:1' http://HOST/", "get --proxy-user M http://HOST/none",
    "get -v --proxy http://127.0.0.1:1 --proxy-user u:M http://HOST/",
    "get --proxy-user 'u:M\r' http://HOST/",
    "get --output json --proxy http://HOST --proxy-user u:M --proxy-digest http://HOST/wants",
    "get --cert none:M http://HOST/none", "get --cert :M http://HOST/", "outbox run --once --cert none:M",
    "post --guaranteed --cert none:M http://HOST/ok -d x",
    "post --guaranteed --proxy-user u:M http://HOST/ok -d x", "outbox run -H 'X-A: 1' --to 'http:u:M@h'",
    "outbox run -H 'X-A: 1' --to '/?token=M'", "help 'http://u:M@h/'", "outbox 'http://u:M@h/?token=M'",
    "get -v 'http://HOST/none?https://u:M@h/'",
    "get -v -H 'X-Forward: https://u:M@h/' http://HOST/none",
    "get -v 'http://HOST/none?https%3A%2F%2Fu%3AM%40h'",
    "post --guaranteed --detach 'http://HOST/none/https://u:M@h/x' -d x",
    "post --guaranteed --detach 'http://HOST/none?https://u:M@h/x' -d x",
    "post --guaranteed --detach -H 'X-Forward: https%3A%2F%2Fu%3AM%40h' http://HOST/none -d x",
    "post --guaranteed --detach 'http://HOST/?token=M' -d x",
    "post --guaranteed --detach 'http://u:M@HOST/' -d x",
    "post --guaranteed --detach -H 'X-Api-Key: M' http://HOST/ -d x",
    "post --guaranteed -H 'X-Api-Key: M' http://HOST/none -d x",
    "post --guaranteed -H 'Authorization: Bearer M' --output json http://HOST/ok -d x", "outbox list",
    "outbox list --output json",
    "outbox export", "get -v -u u:M http://HOST/none", "get -u M http://HOST/none",
    "get --output json --bearer M http://HOST/none", "get --bearer 'M M' http://HOST/none",
    "get -v -u u:M --digest http://HOST/none", "post --guaranteed -u u:M http://HOST/none -d x",
    "post --guaranteed --detach --bearer M http://HOST/none -d x",
    "post --guaranteed --bearer M --output json http://HOST/ok -d x",
    "outbox list --store postgres://u:M@127.0.0.1:1/a",
    "outbox health --store 'postgres://127.0.0.1:1/a?password=M'",
    "outbox workers --store postgres://u:M/x@127.0.0.1:1/a --output json",
    "outbox stats --store 'mysql://u:M@h/a'",
    "outbox migrate --store postgres:u:M@127.0.0.1/a",
    "outbox run --once --store 'postgres://u:M @127.0.0.1:1'",
    "post --guaranteed --detach --store postgres://u:M@127.0.0.1:1/a http://HOST/none -d x",
  ]

  @Test func `no output and no file of the tool shows a secret`() async throws {
    let server = try MockServer()
    server.on("/none") { _ in .response(status: 404, body: "none") }
    server.on("/ok") { _ in .response(fields: ["Set-Cookie": Self.marker], body: "ok") }
    server.on("/wants") { _ in .response(status: 407, fields: ["Proxy-Authenticate": "Digest realm=x"]) }
    server.on("/away") { _ in .redirect(302, to: "ftp://u:\(Self.marker)@h/?token=\(Self.marker)") }
    try await TemporaryFolder.using { folder in
      for line in Self.lines {
        let line = line.replacing("M", with: Self.marker).replacing("HOST", with: "127.0.0.1:\(server.port)")
        let result = try await Tool.shell("XDG_STATE_HOME=$PWD HOME=$PWD exec $errand \(line)", in: folder)
        #expect(!result.text.contains(Self.marker), "\(line): \(result.text)")
        #expect(!result.error.contains(Self.marker), "\(line): \(result.error)")
      }
      let names = FileManager.default.enumerator(atPath: folder.path)?.allObjects as? [String] ?? []
      #expect(!names.isEmpty)
      for name in names {
        let file = folder.appendingPathComponent(name)
        // Reading one of the outbox's pipes would wait for a writer.
        guard try file.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true else { continue }
        let data = try Data(contentsOf: file)
        #expect(data.firstRange(of: Data(Self.marker.utf8)) == nil, "\(name)")
      }
    }
  }
}

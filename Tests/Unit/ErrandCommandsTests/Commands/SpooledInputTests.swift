import ErrandCore
import ErrandTesting
import Foundation
import TestSupport
import Testing

/// A long standard input is spooled to the disk until it is stored.
@Suite(.timeLimit(.minutes(1))) struct SpooledInputTests {
  @Test func `only the user can read spooled input, which is removed when it is stored`() async throws {
    let server = try MockServer()
    server.otherwise { .response(body: "\($0.bodyBytes)") }
    try await TemporaryFolder.using { folder in
      let spools = folder.appending(path: "tmp")
      try FileManager.default.createDirectory(at: spools, withIntermediateDirectories: false)
      let gate = folder.appending(path: "gate").path
      #expect(mkfifo(gate, 0o600) == 0)
      let running = try Running(
        "/bin/sh",
        [
          "-c",
          """
          (head -c 3000000 /dev/zero; cat gate) |
          TMPDIR="$PWD/tmp" $errand post \(server.url("/")) --guaranteed --store box -d -
          """,
        ], in: folder)
      func spooled() -> [URL] {
        (try? FileManager.default.contentsOfDirectory(at: spools, includingPropertiesForKeys: nil)) ?? []
      }
      try await waitUntil { !spooled().isEmpty }
      let spool = spooled()[0]
      let attributes = try FileManager.default.attributesOfItem(atPath: spool.path)
      #expect(attributes[.posixPermissions] as? Int == 0o700)
      // Ends the input.
      try Data("end".utf8).write(to: URL(filePath: gate))
      let result = try await running.result()
      #expect(result.code == 0 && result.text == "3000003", "\(result.error)")
      #expect(spooled().isEmpty)
    }
  }
}

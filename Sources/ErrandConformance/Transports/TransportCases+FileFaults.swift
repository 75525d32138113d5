import ErrandCore
import ErrandTesting

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension TransportConformance {
  static let fileFaults: [Case] = [
    Case("names a missing folder in the error, and sends nothing") { harness in
      harness.server.otherwise { _ in .response(body: "x") }
      let target = try harness.folder().appending(path: "missing/target")
      let error = try await harness.fails(.fileUnwritable) {
        try await harness.client.download(.get(harness.server.url("/")), to: target)
      }
      try harness.expect(error.description.contains("missing"), "\(error) does not name the file")
      try harness.equal(harness.server.requests.count, 0, "the number of received requests")
    },

    Case("refuses a target that is a folder, and does not change it") { harness in
      harness.server.otherwise { _ in .response(body: "x") }
      let target = try harness.folder().appending(path: "target", directoryHint: .isDirectory)
      try FileManager.default.createDirectory(at: target, withIntermediateDirectories: false)
      try await harness.fails(.fileUnwritable) {
        try await harness.client.download(.get(harness.server.url("/")), to: target)
      }
      try harness.equal(try harness.names(), ["target"], "the folder")
    },

    Case("reports a full disk, and does not change the target") { harness in
      #if os(Linux)
        let folder = try harness.folder().appending(path: "disk", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        guard let disk = SmallDisk(at: folder.path) else {
          throw ConformanceSkip(reason: "a small disk cannot be mounted without root")
        }
        defer { disk.unmount() }
        let target = folder.appending(path: "target")
        try Data("old".utf8).write(to: target)
        harness.server.otherwise { _ in .response(body: Data(count: 20_000_000)) }
        let error = try await harness.fails(.fileUnwritable) {
          try await harness.client.download(.get(harness.server.url("/")), to: target)
        }
        try harness.expect(error.description.contains("space"), "\(error) does not say why")
        try harness.equal(try Data(contentsOf: target), Data("old".utf8), "the target")
        try harness.equal(
          try FileManager.default.contentsOfDirectory(atPath: folder.path), ["target"], "the folder")
      #else
        throw ConformanceSkip(reason: "this system cannot mount a small disk")
      #endif
    },

    Case("names an upload file that is missing or not a file, and sends nothing") { harness in
      harness.server.otherwise { _ in .response() }
      let missing = try harness.folder().appending(path: "missing.txt")
      let folder = try harness.folder()
      for file in [missing, folder] {
        for body in [RequestBody.file(file), .multipart(MultipartForm().file("f", at: file))] {
          let error = try await harness.fails(.fileUnreadable, reachedServer: false) {
            try await harness.client.send(.post(harness.server.url("/"), body))
          }
          try harness.expect(
            error.description.contains(file.lastPathComponent), "\(error) does not name the file")
        }
      }
      try harness.equal(harness.server.requests.count, 0, "the number of received requests")
    },

    Case("reports an upload file that it may not read") { harness in
      let file = try harness.file("secret.txt", Data("x".utf8))
      try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: file.path)
      guard !FileManager.default.isReadableFile(atPath: file.path) else {
        throw ConformanceSkip(reason: "root may read every file")
      }
      try await harness.fails(.fileUnreadable, reachedServer: false) {
        try await harness.client.send(.post(harness.server.url("/"), .file(file)))
      }
    },

    Case(
      "stops an upload when the file grows or shrinks meanwhile, so that no server gets a complete request"
    ) {
      harness in
      for newSize in [1_000, 39_999_999, 40_000_001] {
        let file = try harness.file("file", length: 40_000_000)
        // The server reads nothing while its handler runs, so most of the file cannot have been read yet.
        harness.server.on("POST", "/", at: .head) { _ in
          try? setLength(of: file, to: newSize)
          return MockResponse.response().afterBody()
        }
        let before = harness.server.requests.count
        try await harness.fails(.fileChanged) {
          try await harness.client.send(.post(harness.server.url("/"), .file(file)))
        }
        try await harness.server.waitForOpenConnections(0)
        try harness.equal(harness.server.requests.count, before + 1, "the number of received requests")
        try harness.expect(
          !harness.server.requests[before].isComplete, "the server received a complete request")
      }
    },

    Case("stops an upload when the file is overwritten meanwhile with the same length") {
      harness in
      for isForm in [false, true] {
        let file = try harness.file("file", length: 40_000_000)
        // The file is dated back, so that the write changes its modification time.
        try FileManager.default.setAttributes(
          [.modificationDate: Date(timeIntervalSince1970: 1_000_000)], ofItemAtPath: file.path)
        // The server reads nothing while its handler runs, so most of the file cannot have been read yet.
        harness.server.on("PUT", "/", at: .head) { _ in
          try? FileDescriptor(writing: file.path).write(Data("other".utf8), at: 39_000_000)
          return MockResponse.response().afterBody()
        }
        let before = harness.server.requests.count
        let body =
          isForm ? RequestBody.multipart(MultipartForm().file("f", at: file).field("a", "1")) : .file(file)
        let client = harness.client { $0.retry = .attempts(3) }
        try await harness.fails(.fileChanged, reachedServer: true) {
          try await client.send(.put(harness.server.url("/"), body))
        }
        try await harness.server.waitForOpenConnections(0)
        try harness.equal(harness.server.requests.count, before + 1, "the number of received requests")
        try harness.expect(
          !harness.server.requests[before].isComplete, "the server received a complete request")
      }
    },
  ]

  private static func setLength(of file: URL, to length: Int) throws {
    try FileDescriptor(writing: file.path).truncate(to: Int64(length))
  }
}

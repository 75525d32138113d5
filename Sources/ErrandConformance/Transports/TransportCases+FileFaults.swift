import ErrandCore
import ErrandTesting

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension TransportConformance {
  static let fileFaults: [Case] = [
    Case("says which folder is missing, and sends nothing") { harness in
      harness.server.otherwise { _ in .response(body: "x") }
      let target = try harness.folder().appending(path: "missing/target")
      let error = try await harness.fails(.fileUnwritable) {
        try await harness.client.download(.get(harness.server.url("/")), to: target)
      }
      try harness.expect(error.description.contains("missing"), "\(error) does not name the file")
      try harness.equal(harness.server.requests.count, 0, "the requests that came")
    },

    Case("refuses a target that is a folder, and leaves it alone") { harness in
      harness.server.otherwise { _ in .response(body: "x") }
      let target = try harness.folder().appending(path: "target", directoryHint: .isDirectory)
      try FileManager.default.createDirectory(at: target, withIntermediateDirectories: false)
      try await harness.fails(.fileUnwritable) {
        try await harness.client.download(.get(harness.server.url("/")), to: target)
      }
      try harness.equal(try harness.names(), ["target"], "the folder")
    },

    Case("says that the disk is full, and leaves the target as it was") { harness in
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
        throw ConformanceSkip(reason: "there is no small disk to be had here")
      #endif
    },

    Case("says which file to upload is missing or no file, and sends nothing") { harness in
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
      try harness.equal(harness.server.requests.count, 0, "the requests that came")
    },

    Case("says that a file to upload may not be read") { harness in
      let file = try harness.file("secret.txt", Data("x".utf8))
      try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: file.path)
      guard !FileManager.default.isReadableFile(atPath: file.path) else {
        throw ConformanceSkip(reason: "root may read every file")
      }
      try await harness.fails(.fileUnreadable, reachedServer: false) {
        try await harness.client.send(.post(harness.server.url("/"), .file(file)))
      }
    },

    Case("stops an upload when the file grows or shrinks on the way, so that no server takes it for whole") {
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
        try harness.equal(harness.server.requests.count, before + 1, "the requests that came")
        try harness.expect(!harness.server.requests[before].isComplete, "the request was whole to the server")
      }
    },

    Case("stops an upload when a file is overwritten on the way, though its length stays the same") {
      harness in
      for isForm in [false, true] {
        let file = try harness.file("file", length: 40_000_000)
        // Dated back, so that the clock of the file system tells the write apart.
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
        try harness.equal(harness.server.requests.count, before + 1, "the requests that came")
        try harness.expect(
          !harness.server.requests[before].isComplete, "the request was whole to the server")
      }
    },
  ]

  private static func setLength(of file: URL, to length: Int) throws {
    try FileDescriptor(writing: file.path).truncate(to: Int64(length))
  }
}

import ErrandCore
import ErrandTesting

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension TransportConformance {
  private static let content = Data.noise(400_000)
  private static let otherContent = Data(Data.noise(350_000).reversed())

  static let downloads: [Case] = [
    Case("replaces the old file with the complete download, and leaves no other file") { harness in
      harness.server.on("/") { .file(content, etag: "\"1\"", for: $0) }
      let target = try harness.file("target", Data("old and longer than nothing".utf8))
      let response = try await harness.client.download(.get(harness.server.url("/")), to: target)
      try harness.equal(response.file, target, "the response's file")
      try harness.equal(try Data(contentsOf: target), content, "the file")
      try harness.equal(try harness.names(), ["target"], "the folder")
    },

    Case("downloads the response to a body") { harness in
      harness.server.on("POST", "/") { .response(body: $0.body) }
      let target = try harness.folder().appending(path: "target")
      let source = try harness.file("source", content)
      _ = try await harness.client.download(.post(harness.server.url("/"), .file(source)), to: target)
      try harness.equal(try Data(contentsOf: target), content, "the file")
    },

    Case("leaves the old target and no other file when a download fails") { harness in
      let target = try harness.file("target", Data("old".utf8))
      let faults: [MockResponse] = [
        .response(body: content).closing(at: .body(200_000)),
        .response(body: content).resetting(at: .body(300_000)),
        .response(status: 404, body: "no"), .reset,
        .response(body: content).announcing(length: 400_001).closing(at: .end),
      ]
      for fault in faults {
        harness.server.on("/") { _ in fault }
        try await harness.fails(.connectionLost, .rejected) {
          try await harness.client.download(.get(harness.server.url("/")), to: target)
        }
        try harness.equal(try Data(contentsOf: target), Data("old".utf8), "the target")
        try harness.equal(try harness.names(), ["target"], "the folder")
      }
    },

    Case("resumes a broken download in the next attempt, with Range and If-Range") { harness in
      let client = harness.client {
        $0.retry = .attempts(3)
        $0.retry.backoff = .zero
      }
      let log = ProgressLog()
      harness.server.on("/") { request in
        let response = MockResponse.file(content, etag: "\"1\"", for: request)
        return request.index < 2 ? response.closing(at: .body(150_000)) : response
      }
      let target = try harness.folder().appending(path: "target")
      _ = try await client.download(.get(harness.server.url("/")), to: target) { log.append($0) }
      try harness.equal(try Data(contentsOf: target), content, "the file")
      try harness.equal(
        harness.server.requests.map { $0.fields["Range"] }, [nil, "bytes=150000-", "bytes=300000-"], "Range")
      try harness.equal(
        harness.server.requests.map { $0.fields["If-Range"] }, [nil, "\"1\"", "\"1\""], "If-Range")
      if let problem = log.problem { throw ConformanceFailure(problem) }
      try harness.equal(log.all.last?.received, Int64(content.count), "the bytes received")
      try harness.equal(log.all.last?.receivedTotal, Int64(content.count), "the bytes to receive")
      try harness.equal(try harness.names(), ["target"], "the folder")
    },

    Case("resumes a download of an earlier call") { harness in
      let target = try harness.folder().appending(path: "target")
      try await breakDownload(harness, target)
      harness.server.on("/") { .file(content, etag: "\"1\"", for: $0) }
      _ = try await harness.client.download(.get(harness.server.url("/")), to: target, resume: true)
      try harness.equal(try Data(contentsOf: target), content, "the file")
      try harness.equal(harness.server.requests.last!.fields["Range"], "bytes=150000-", "Range")
      try harness.equal(try harness.names(), ["target"], "the folder")
    },

    Case("restarts a download when the file has changed") { harness in
      let target = try harness.folder().appending(path: "target")
      try await breakDownload(harness, target)
      harness.server.on("/") { .file(otherContent, etag: "\"2\"", for: $0) }
      _ = try await harness.client.download(.get(harness.server.url("/")), to: target, resume: true)
      try harness.equal(harness.server.requests.last!.fields["If-Range"], "\"1\"", "If-Range")
      try harness.equal(try Data(contentsOf: target), otherContent, "the file")
      try harness.equal(try harness.names(), ["target"], "the folder")
    },

    Case("requests the whole file when the server sends a part of another version, or lacks the range") {
      harness in
      let target = try harness.folder().appending(path: "target")
      let careless: [MockResponse] = [
        .response(
          status: 206, fields: ["ETag": "\"2\"", "Content-Range": "bytes 150000-349999/350000"],
          body: otherContent.dropFirst(150_000)),
        .response(
          status: 206, fields: ["ETag": "\"1\"", "Content-Range": "bytes 0-9/400000"], body: "0123456789"),
        .response(status: 416, fields: ["Content-Range": "bytes */350000"]),
      ]
      for response in careless {
        try await breakDownload(harness, target)
        harness.server.on("/") { request in
          request.fields.contains("Range") ? response : .file(otherContent, etag: "\"2\"", for: request)
        }
        _ = try await harness.client.download(.get(harness.server.url("/")), to: target, resume: true)
        try harness.equal(try Data(contentsOf: target), otherContent, "the file")
        try harness.equal(try harness.names(), ["target"], "the folder")
        try FileManager.default.removeItem(at: target)
      }
    },

    Case("restarts a download when the server ignores ranges or sends no version of the file") { harness in
      let target = try harness.folder().appending(path: "target")
      harness.server.on("/") { _ in .response(body: content).closing(at: .body(150_000)) }
      try await harness.fails(.connectionLost) {
        try await harness.client.download(.get(harness.server.url("/")), to: target, resume: true)
      }
      harness.server.on("/") { _ in .response(body: content) }
      _ = try await harness.client.download(.get(harness.server.url("/")), to: target, resume: true)
      try harness.equal(harness.server.requests.last!.fields["Range"], nil, "Range")
      try harness.equal(try Data(contentsOf: target), content, "the file")

      try FileManager.default.removeItem(at: target)
      try await breakDownload(harness, target)
      harness.server.on("/") { _ in .response(fields: ["ETag": "\"1\""], body: content) }
      _ = try await harness.client.download(.get(harness.server.url("/")), to: target, resume: true)
      try harness.equal(try Data(contentsOf: target), content, "the file")
    },
  ]

  /// Downloads 150,000 bytes of version 1, which stay beside the target.
  private static func breakDownload(_ harness: TransportHarness, _ target: URL) async throws {
    harness.server.on("/") { .file(content, etag: "\"1\"", for: $0).closing(at: .body(150_000)) }
    try await harness.fails(.connectionLost) {
      try await harness.client.download(.get(harness.server.url("/")), to: target, resume: true)
    }
    try harness.expect(!FileManager.default.fileExists(atPath: target.path), "the target already exists")
  }
}

import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension TransportConformance {
  private static let content = ConformanceLab.bytes(400_000)
  private static let otherContent = Data(ConformanceLab.bytes(350_000).reversed())

  static let downloads: [Case] = [
    Case("downloads a file whole, in place of the old one, and leaves nothing else") { lab in
      lab.server.on("/") { .file(content, etag: "\"1\"", for: $0) }
      let target = try lab.file("target", Data("old and longer than nothing".utf8))
      let response = try await lab.client.download(.get(lab.server.url("/")), to: target)
      try lab.equal(response.file, target, "the answer's file")
      try lab.equal(try Data(contentsOf: target), content, "the file")
      try lab.equal(try lab.names(), ["target"], "the folder")
    },

    Case("downloads the answer to a body") { lab in
      lab.server.on("POST", "/") { .answer(body: $0.body) }
      let target = try lab.folder().appending(path: "target")
      let source = try lab.file("source", content)
      _ = try await lab.client.download(.post(lab.server.url("/"), .file(source)), to: target)
      try lab.equal(try Data(contentsOf: target), content, "the file")
    },

    Case("leaves the target as it was when a download fails, and nothing beside it") { lab in
      let target = try lab.file("target", Data("old".utf8))
      let faults: [MockAnswer] = [
        .answer(body: content).closing(at: .body(200_000)),
        .answer(body: content).resetting(at: .body(300_000)),
        .answer(status: 404, body: "no"), .reset,
        .answer(body: content).announcing(length: 400_001).closing(at: .end),
      ]
      for fault in faults {
        lab.server.on("/") { _ in fault }
        try await lab.fails(.connectionLost, .rejected) {
          try await lab.client.download(.get(lab.server.url("/")), to: target)
        }
        try lab.equal(try Data(contentsOf: target), Data("old".utf8), "the target")
        try lab.equal(try lab.names(), ["target"], "the folder")
      }
    },

    Case("goes on with a broken download in the next try, with Range and If-Range") { lab in
      let client = lab.client {
        $0.retry = .tries(3)
        $0.retry.backoff = .zero
      }
      let log = ProgressLog()
      lab.server.on("/") { request in
        let answer = MockAnswer.file(content, etag: "\"1\"", for: request)
        return request.index < 2 ? answer.closing(at: .body(150_000)) : answer
      }
      let target = try lab.folder().appending(path: "target")
      _ = try await client.download(.get(lab.server.url("/")), to: target) { log.append($0) }
      try lab.equal(try Data(contentsOf: target), content, "the file")
      try lab.equal(
        lab.server.requests.map { $0.fields["Range"] }, [nil, "bytes=150000-", "bytes=300000-"], "Range")
      try lab.equal(lab.server.requests.map { $0.fields["If-Range"] }, [nil, "\"1\"", "\"1\""], "If-Range")
      if let problem = log.problem { throw ConformanceFailure(problem) }
      try lab.equal(log.all.last?.received, Int64(content.count), "the bytes received")
      try lab.equal(log.all.last?.receivedTotal, Int64(content.count), "the bytes to receive")
      try lab.equal(try lab.names(), ["target"], "the folder")
    },

    Case("resumes a download of an earlier call") { lab in
      let target = try lab.folder().appending(path: "target")
      try await breakDownload(lab, target)
      lab.server.on("/") { .file(content, etag: "\"1\"", for: $0) }
      _ = try await lab.client.download(.get(lab.server.url("/")), to: target, resume: true)
      try lab.equal(try Data(contentsOf: target), content, "the file")
      try lab.equal(lab.server.requests.last!.fields["Range"], "bytes=150000-", "Range")
      try lab.equal(try lab.names(), ["target"], "the folder")
    },

    Case("starts again from zero when the file has changed") { lab in
      let target = try lab.folder().appending(path: "target")
      try await breakDownload(lab, target)
      lab.server.on("/") { .file(otherContent, etag: "\"2\"", for: $0) }
      _ = try await lab.client.download(.get(lab.server.url("/")), to: target, resume: true)
      try lab.equal(lab.server.requests.last!.fields["If-Range"], "\"1\"", "If-Range")
      try lab.equal(try Data(contentsOf: target), otherContent, "the file")
      try lab.equal(try lab.names(), ["target"], "the folder")
    },

    Case("asks again when a server sends the rest of another version, or has no such range") { lab in
      let target = try lab.folder().appending(path: "target")
      let careless: [MockAnswer] = [
        .answer(
          status: 206, fields: ["ETag": "\"2\"", "Content-Range": "bytes 150000-349999/350000"],
          body: otherContent.dropFirst(150_000)),
        .answer(
          status: 206, fields: ["ETag": "\"1\"", "Content-Range": "bytes 0-9/400000"], body: "0123456789"),
        .answer(status: 416, fields: ["Content-Range": "bytes */350000"]),
      ]
      for answer in careless {
        try await breakDownload(lab, target)
        lab.server.on("/") { request in
          request.fields.contains("Range") ? answer : .file(otherContent, etag: "\"2\"", for: request)
        }
        _ = try await lab.client.download(.get(lab.server.url("/")), to: target, resume: true)
        try lab.equal(try Data(contentsOf: target), otherContent, "the file")
        try lab.equal(try lab.names(), ["target"], "the folder")
        try FileManager.default.removeItem(at: target)
      }
    },

    Case("starts again where a server knows no ranges, or gave nothing to tell versions by") { lab in
      let target = try lab.folder().appending(path: "target")
      lab.server.on("/") { _ in .answer(body: content).closing(at: .body(150_000)) }
      try await lab.fails(.connectionLost) {
        try await lab.client.download(.get(lab.server.url("/")), to: target, resume: true)
      }
      lab.server.on("/") { _ in .answer(body: content) }
      _ = try await lab.client.download(.get(lab.server.url("/")), to: target, resume: true)
      try lab.equal(lab.server.requests.last!.fields["Range"], nil, "Range")
      try lab.equal(try Data(contentsOf: target), content, "the file")

      try FileManager.default.removeItem(at: target)
      try await breakDownload(lab, target)
      lab.server.on("/") { _ in .answer(fields: ["ETag": "\"1\""], body: content) }
      _ = try await lab.client.download(.get(lab.server.url("/")), to: target, resume: true)
      try lab.equal(try Data(contentsOf: target), content, "the file")
    },
  ]

  /// Leaves 150,000 bytes of version 1 beside the target.
  private static func breakDownload(_ lab: ConformanceLab, _ target: URL) async throws {
    lab.server.on("/") { .file(content, etag: "\"1\"", for: $0).closing(at: .body(150_000)) }
    try await lab.fails(.connectionLost) {
      try await lab.client.download(.get(lab.server.url("/")), to: target, resume: true)
    }
    try lab.expect(!FileManager.default.fileExists(atPath: target.path), "the target is there already")
  }
}

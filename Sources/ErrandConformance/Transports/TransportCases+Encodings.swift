import ErrandCore
import ErrandTesting

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension TransportConformance {
  /// `hello gzip, hello gzip, hello gzip`, compressed with gzip.
  private static let gzipped = Data(
    base64Encoded: "H4sIAAAAAAACA8tIzcnJV0ivyizQUcjAygYAujGOJiIAAAA=")!
  private static let plain = "hello gzip, hello gzip, hello gzip"

  static let encodings: [Case] = [
    Case("accepts gzip and decompresses it, with a length and chunked") { harness in
      harness.server.on("/length") { _ in .response(fields: ["Content-Encoding": "gzip"], body: gzipped) }
      harness.server.on("/chunked") { _ in
        .chunked(
          fields: ["Content-Encoding": "gzip"],
          chunks: [gzipped.prefix(7), gzipped.dropFirst(7)].map { Data($0) })
      }
      harness.server.on("/drip") { _ in
        .response(fields: ["Content-Encoding": "gzip"], body: gzipped).dripping(3, every: .milliseconds(2))
      }
      for path in ["/length", "/chunked", "/drip"] {
        let response = try await harness.client.send(.get(harness.server.url(path)))
        try harness.equal(response.text, plain, "the body of \(path)")
      }
      let accepted = harness.server.requests[0].fields["Accept-Encoding"] ?? ""
      try harness.expect(accepted.contains("gzip"), "Accept-Encoding is \(accepted)")
    },

    Case("streams a decompressed body, and reports its progress without a total") { harness in
      let text = String(repeating: "again and again ", count: 300_000)
      harness.server.on("POST", "/") { .response(fields: ["Content-Encoding": "gzip"], body: $0.body) }
      let seen = ProgressLog()
      let response = try await harness.client.stream(.post(harness.server.url("/"), .text(text)).compressed())
      {
        seen.append($0)
      }
      let chunks = response.chunks
      var received = Data()
      for try await chunk in chunks { received += chunk }
      try harness.equal(received, Data(text.utf8), "the body")
      try harness.expect(
        seen.all.allSatisfy { $0.receivedTotal == nil }, "a total was announced for a compressed response")
    },

    Case("fails on a response that is marked as gzip but is not") { harness in
      harness.server.on("/") { _ in
        .response(fields: ["Content-Encoding": "gzip"], body: "this is not gzip at all")
      }
      try await harness.fails(.badEncoding, reachedServer: true) {
        try await harness.client.send(.get(harness.server.url("/")))
      }
    },

    Case("fails on damaged gzip") { harness in
      harness.server.on("/sum") { _ in
        var damaged = gzipped
        damaged[damaged.count - 6] ^= 0x55
        return .response(fields: ["Content-Encoding": "gzip"], body: damaged)
      }
      harness.server.on("/data") { _ in
        var damaged = gzipped
        for index in 12..<18 { damaged[index] ^= 0x7F }
        return .response(fields: ["Content-Encoding": "gzip"], body: damaged)
      }
      for path in ["/sum", "/data"] {
        try await harness.fails(.badEncoding) {
          try await harness.client.send(.get(harness.server.url(path)))
        }
      }
    },

    Case("fails on gzip that ends too soon, even with the announced length") { harness in
      for missing in [1, 8, 12, gzipped.count - 5] {
        harness.server.on("/length") { _ in
          .response(fields: ["Content-Encoding": "gzip"], body: gzipped.dropLast(missing))
        }
        harness.server.on("/chunked") { _ in
          .chunked(fields: ["Content-Encoding": "gzip"], chunks: [Data(gzipped.dropLast(missing))])
        }
        for path in ["/length", "/chunked"] {
          try await harness.fails(.badEncoding, .connectionLost) {
            try await harness.client.send(.get(harness.server.url(path)))
          }
        }
      }
    },

    Case("applies the memory limit to the decompressed body") { harness in
      harness.server.on("POST", "/") { .response(fields: ["Content-Encoding": "gzip"], body: $0.body) }
      let request = Request.post(harness.server.url("/"), .bytes(Data(count: 50_000_000))).compressed()
        .memoryLimit(1 << 20)
      try await harness.fails(.bodyTooLarge) { try await harness.client.send(request) }
      try harness.expect(
        harness.server.requests[0].bodyBytes < 100_000, "the compressed body is too large for this test")
    },

    Case("downloads a file without compression") { harness in
      harness.server.on("/") { _ in .response(body: "content") }
      let target = try harness.folder().appending(path: "file")
      _ = try await harness.client.download(.get(harness.server.url("/")), to: target)
      try harness.equal(harness.server.requests[0].fields["Accept-Encoding"], "identity", "Accept-Encoding")
    },
  ]
}

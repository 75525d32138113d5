import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension TransportConformance {
  /// What gzip makes of `hello gzip, hello gzip, hello gzip`.
  private static let gzipped = Data(
    base64Encoded: "H4sIAAAAAAACA8tIzcnJV0ivyizQUcjAygYAujGOJiIAAAA=")!
  private static let plain = "hello gzip, hello gzip, hello gzip"

  static let encodings: [Case] = [
    Case("asks for gzip and decompresses it, with a length and chunked") { lab in
      lab.server.on("/length") { _ in .answer(fields: ["Content-Encoding": "gzip"], body: gzipped) }
      lab.server.on("/chunked") { _ in
        .chunked(
          fields: ["Content-Encoding": "gzip"],
          chunks: [gzipped.prefix(7), gzipped.dropFirst(7)].map { Data($0) })
      }
      lab.server.on("/drip") { _ in
        .answer(fields: ["Content-Encoding": "gzip"], body: gzipped).dripping(3, every: .milliseconds(2))
      }
      for path in ["/length", "/chunked", "/drip"] {
        let response = try await lab.client.send(.get(lab.server.url(path)))
        try lab.equal(response.text, plain, "the body of \(path)")
      }
      let accepted = lab.server.requests[0].fields["Accept-Encoding"] ?? ""
      try lab.expect(accepted.contains("gzip"), "Accept-Encoding is \(accepted)")
    },

    Case("streams and measures what is decompressed") { lab in
      let text = String(repeating: "again and again ", count: 300_000)
      lab.server.on("POST", "/") { .answer(fields: ["Content-Encoding": "gzip"], body: $0.body) }
      let seen = ProgressLog()
      let response = try await lab.client.stream(.post(lab.server.url("/"), .text(text)).compressed()) {
        seen.append($0)
      }
      let chunks = response.chunks
      var received = Data()
      for try await chunk in chunks { received += chunk }
      try lab.equal(received, Data(text.utf8), "the body")
      try lab.expect(
        seen.all.allSatisfy { $0.receivedTotal == nil }, "a total was announced for a compressed answer")
    },

    Case("fails on an answer that is no gzip though it says so") { lab in
      lab.server.on("/") { _ in .answer(fields: ["Content-Encoding": "gzip"], body: "this is not gzip at all")
      }
      try await lab.fails(.badEncoding, reachedServer: true) {
        try await lab.client.send(.get(lab.server.url("/")))
      }
    },

    Case("fails on gzip that is damaged in the middle") { lab in
      lab.server.on("/sum") { _ in
        var damaged = gzipped
        damaged[damaged.count - 6] ^= 0x55
        return .answer(fields: ["Content-Encoding": "gzip"], body: damaged)
      }
      lab.server.on("/data") { _ in
        var damaged = gzipped
        for index in 12..<18 { damaged[index] ^= 0x7F }
        return .answer(fields: ["Content-Encoding": "gzip"], body: damaged)
      }
      for path in ["/sum", "/data"] {
        try await lab.fails(.badEncoding) { try await lab.client.send(.get(lab.server.url(path))) }
      }
    },

    Case("fails on gzip that ends too soon, though its length is right") { lab in
      for missing in [1, 8, 12, gzipped.count - 5] {
        lab.server.on("/length") { _ in
          .answer(fields: ["Content-Encoding": "gzip"], body: gzipped.dropLast(missing))
        }
        lab.server.on("/chunked") { _ in
          .chunked(fields: ["Content-Encoding": "gzip"], chunks: [Data(gzipped.dropLast(missing))])
        }
        for path in ["/length", "/chunked"] {
          try await lab.fails(.badEncoding, .connectionLost) {
            try await lab.client.send(.get(lab.server.url(path)))
          }
        }
      }
    },

    Case("holds a gzip bomb to the memory limit") { lab in
      lab.server.on("POST", "/") { .answer(fields: ["Content-Encoding": "gzip"], body: $0.body) }
      let request = Request.post(lab.server.url("/"), .bytes(Data(count: 50_000_000))).compressed()
        .memoryLimit(1 << 20)
      try await lab.fails(.bodyTooLarge) { try await lab.client.send(request) }
      try lab.expect(lab.server.requests[0].bodyBytes < 100_000, "the bomb is too large to be one")
    },

    Case("downloads a file as it is, not compressed on the way") { lab in
      lab.server.on("/") { _ in .answer(body: "content") }
      let target = try lab.folder().appending(path: "file")
      _ = try await lab.client.download(.get(lab.server.url("/")), to: target)
      try lab.equal(lab.server.requests[0].fields["Accept-Encoding"], "identity", "Accept-Encoding")
    },
  ]
}

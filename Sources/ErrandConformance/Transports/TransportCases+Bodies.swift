import ErrandCore
import ErrandTesting

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension TransportConformance {
  static let bodies: [Case] = [
    Case("sends bytes of any size with their length, and without Expect") { harness in
      harness.server.otherwise { .response(body: $0.body) }
      for size in [0, 1, 1000, 65_536, 65_537, 3_000_000] {
        let data = Data.noise(size)
        let response = try await harness.client.send(.put(harness.server.url("/"), .bytes(data)))
        try harness.equal(response.data, data, "the response to \(size) bytes")
        let request = harness.server.requests.last!
        try harness.equal(request.fields["Content-Length"], "\(size)", "Content-Length")
        try harness.equal(request.fields["Expect"], nil, "Expect")
      }
    },

    Case("sends text, JSON and forms with their types") { harness in
      harness.server.otherwise { _ in .response() }
      _ = try await harness.client.send(.post(harness.server.url("/"), .text("grüß")))
      _ = try await harness.client.send(.post(harness.server.url("/"), json: ["a": 1]))
      _ = try await harness.client.send(.post(harness.server.url("/"), .form(["a b": "c&d", "e": "é"])))
      _ = try await harness.client.send(
        .post(harness.server.url("/"), .text("x")).field("Content-Type", "text/own"))
      try harness.equal(
        harness.server.requests.map { $0.fields.values(of: "Content-Type").joined(separator: "|") },
        [
          "text/plain; charset=utf-8", "application/json", "application/x-www-form-urlencoded", "text/own",
        ], "the content types")
      try harness.equal(
        harness.server.requests.map(\.text), ["grüß", "{\"a\":1}", "a+b=c%26d&e=%C3%A9", "x"], "the bodies")
    },

    Case("sends a body with any method") { harness in
      harness.server.otherwise { _ in .response() }
      for method in [HTTPMethod.get, .delete, .options, "SEARCH"] {
        _ = try await harness.client.send(
          Request(method, harness.server.url("/"), body: .text("body of \(method)")))
        try harness.equal(harness.server.requests.last!.method, method, "the method")
        try harness.equal(harness.server.requests.last!.text, "body of \(method)", "the body")
      }
      _ = try await harness.client.send(.get(harness.server.url("/")))
      try harness.equal(harness.server.requests.last!.bodyBytes, 0, "the next request's body")
    },

    Case("sends a file with its length and its type") { harness in
      harness.server.otherwise { _ in .response() }
      let data = Data.noise(2_500_000)
      let file = try harness.file("picture.png", data)
      _ = try await harness.client.send(.post(harness.server.url("/"), .file(file)))
      let request = harness.server.requests[0]
      try harness.equal(request.body, data, "the body")
      try harness.equal(request.fields["Content-Length"], "\(data.count)", "Content-Length")
      try harness.equal(request.fields["Content-Type"], "image/png", "Content-Type")
    },

    Case("sends an empty file") { harness in
      harness.server.otherwise { _ in .response(body: "ok") }
      let file = try harness.file("empty.txt", Data())
      let response = try await harness.client.send(.put(harness.server.url("/"), .file(file)))
      try harness.equal(response.text, "ok", "the response")
      try harness.equal(harness.server.requests[0].bodyBytes, 0, "the number of received bytes")
      try harness.expect(harness.server.requests[0].isComplete, "the request did not complete")
    },

    Case("sends a form of fields and files with its length") { harness in
      harness.server.otherwise { _ in .response() }
      let file = try harness.file("cat.jpg", Data.noise(300_000))
      let form = MultipartForm(boundary: "LINE").field("title", "A cat").file("photo", at: file)
        .bytes("raw", Data([0, 13, 10, 255]), fileName: "raw.bin")
      _ = try await harness.client.send(.post(harness.server.url("/"), .multipart(form)))
      var expected = Data(
        "--LINE\r\nContent-Disposition: form-data; name=\"title\"\r\n\r\nA cat\r\n".utf8)
      expected += Data(
        ("--LINE\r\nContent-Disposition: form-data; name=\"photo\"; filename=\"cat.jpg\"\r\n"
          + "Content-Type: image/jpeg\r\n\r\n").utf8)
      expected += Data.noise(300_000)
      expected += Data(
        ("\r\n--LINE\r\nContent-Disposition: form-data; name=\"raw\"; filename=\"raw.bin\"\r\n"
          + "Content-Type: application/octet-stream\r\n\r\n").utf8)
      expected += Data([0, 13, 10, 255]) + Data("\r\n--LINE--\r\n".utf8)
      let request = harness.server.requests[0]
      try harness.equal(request.body, expected, "the body")
      try harness.equal(request.fields["Content-Length"], "\(expected.count)", "Content-Length")
      try harness.equal(request.fields["Content-Type"], "multipart/form-data; boundary=LINE", "Content-Type")
    },

    Case("sends a stream chunked, and one of known length with its length") { harness in
      harness.server.otherwise { _ in .response() }
      let data = Data.noise(700_000)
      for length in [nil, Int64(data.count)] {
        _ = try await harness.client.send(
          .post(harness.server.url("/"), .stream(pieces(of: data, 9999), length: length)))
        let request = harness.server.requests.last!
        try harness.equal(request.body, data, "the body")
        try harness.equal(request.fields["Content-Length"], length.map { "\($0)" }, "Content-Length")
        try harness.equal(
          request.fields["Transfer-Encoding"], length == nil ? "chunked" : nil, "Transfer-Encoding")
      }
    },

    Case("sends an empty stream") { harness in
      harness.server.otherwise { _ in .response(body: "ok") }
      let response = try await harness.client.send(
        .post(harness.server.url("/"), .stream(pieces(of: Data(), 1))))
      try harness.equal(response.text, "ok", "the response")
      try harness.expect(harness.server.requests[0].isComplete, "the request did not complete")
    },

    Case("waits for a slow stream") { harness in
      harness.server.otherwise { .response(body: $0.body) }
      let (chunks, source) = AsyncStream<Data>.makeStream()
      let response = Task { try await harness.client.send(.post(harness.server.url("/"), .stream(chunks))) }
      for number in 1...5 {
        source.yield(Data("piece \(number)\n".utf8))
        try await harness.server.wait(for: "piece \(number)") { $0.requests.first?.bodyBytes == number * 8 }
      }
      source.finish()
      let text = try await response.value.text
      try harness.equal(text, (1...5).map { "piece \($0)\n" }.joined(), "the body")
    },

    Case("sends no complete request when a stream fails or has another length than announced") { harness in
      harness.server.otherwise { _ in .response() }
      struct Broken: Error {}
      let failing = AsyncThrowingStream<Data, any Error> { stream in
        stream.yield(Data("some".utf8))
        stream.finish(throwing: Broken())
      }
      try await harness.fails(.bodyFailed) {
        try await harness.client.send(.post(harness.server.url("/"), .stream(failing)))
      }
      for length in [Int64(3), 5] {
        try await harness.fails(.bodyFailed) {
          try await harness.client.send(
            .post(harness.server.url("/"), .stream(pieces(of: Data("1234".utf8), 2), length: length)))
        }
      }
      try await harness.server.waitForOpenConnections(0)
      try harness.expect(
        harness.server.requests.allSatisfy { !$0.isComplete }, "the server received a complete request")
    },

    Case("compresses the body of a request that asks for it") { harness in
      harness.server.otherwise { .response(fields: ["Content-Encoding": "gzip"], body: $0.body) }
      let text = String(repeating: "all work and no play ", count: 20_000)
      let file = try harness.file("text.txt", Data(text.utf8))
      let kinds: [RequestBody] = [.text(text), .file(file), .stream(pieces(of: Data(text.utf8), 10_000))]
      for body in kinds {
        let response = try await harness.client.send(.post(harness.server.url("/"), body).compressed())
        try harness.equal(response.text, text, "the response to \(body)")
        let request = harness.server.requests.last!
        try harness.equal(request.fields["Content-Encoding"], "gzip", "Content-Encoding")
        try harness.equal([UInt8](request.body.prefix(2)), [0x1F, 0x8B], "the first bytes")
        try harness.expect(request.bodyBytes < text.utf8.count / 20, "\(request.bodyBytes) bytes were sent")
      }
    },
  ]

  static func pieces(of data: Data, _ size: Int) -> AsyncStream<Data> {
    AsyncStream { stream in
      for start in stride(from: 0, to: data.count, by: size) {
        stream.yield(data.subdata(in: start..<min(start + size, data.count)))
      }
      stream.finish()
    }
  }
}

import ErrandCore
import ErrandTesting

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension TransportConformance {
  static let responses: [Case] = [
    Case("expects no body after HEAD, 204 and 304, regardless of their header fields") { harness in
      harness.server.on("HEAD", "/head") { _ in .response(body: "never sent") }
      harness.server.on("/204") { _ in .response(status: 204) }
      harness.server.on("/304") { _ in
        .response(status: 304, fields: ["Content-Length": "1000", "ETag": "\"x\""])
      }
      harness.server.on("/next") { _ in .response(body: "next") }
      for path in ["/head", "/204", "/304"] {
        let request = Request(path == "/head" ? .head : .get, harness.server.url(path)).acceptingAnyStatus()
        let response = try await harness.client.send(request.timeout(.seconds(3)))
        try harness.equal(response.data.count, 0, "the body of \(path)")
        if path == "/head" {
          try harness.equal(response.fields["Content-Length"], "10", "Content-Length of HEAD")
        }
        let next = try await harness.client.send(.get(harness.server.url("/next")))
        try harness.equal(next.text, "next", "the response after \(path)")
      }
    },

    Case("accepts an empty response") { harness in
      harness.server.on("/plain") { _ in .response() }
      harness.server.on("/chunked") { _ in .chunked() }
      harness.server.on("/closed") { _ in .response().announcingNoLength() }
      for path in ["/plain", "/chunked", "/closed"] {
        let response = try await harness.client.send(.get(harness.server.url(path)))
        try harness.equal(response.data.count, 0, "the body of \(path)")
        try harness.equal(response.status, 200, "the status of \(path)")
      }
    },

    Case("receives a large response byte for byte") { harness in
      let data = Data.noise(5_000_000)
      harness.server.on("/") { _ in .response(body: data) }
      harness.server.on("/closed") { _ in .response(body: data).announcingNoLength() }
      for path in ["/", "/closed"] {
        let response = try await harness.client.send(.get(harness.server.url(path)))
        try harness.equal(response.data, data, "the body of \(path)")
      }
    },

    Case("accepts chunked responses with extensions, trailers and chunks of any size") { harness in
      let data = Data.noise(300_000)
      var chunks: [Data] = []
      var rest = data
      for size in [1, 2, 15, 16, 17, 4095, 65_536, 100_000] {
        chunks.append(rest.prefix(size))
        rest = rest.dropFirst(size)
      }
      let all = chunks + [rest]
      harness.server.on("/sizes") { _ in .chunked(chunks: all.map { Data($0) }, trailers: ["X-Sum": "1"]) }
      harness.server.on("/extensions") { _ in
        .raw(
          "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
            + "5;name=value\r\nhello\r\n1;a\r\n!\r\n0\r\nX-T: 1\r\n\r\n")
      }
      let sizes = try await harness.client.send(.get(harness.server.url("/sizes")))
      try harness.equal(sizes.data, data, "the body")
      let extended = try await harness.client.send(.get(harness.server.url("/extensions")))
      try harness.equal(extended.text, "hello!", "the body with extensions")
    },

    Case("skips interim responses") { harness in
      harness.server.on("/") { _ in
        .response(fields: ["X-Final": "yes"], body: "final").afterInterim(
          103, fields: ["Link": "</a>", "X-E": "1"]
        )
        .afterInterim(102).afterInterim(103)
      }
      harness.server.on("POST", "/continue", at: .head) { _ in .response(body: "final").afterContinue() }
      for _ in 0..<2 {
        let response = try await harness.client.send(.get(harness.server.url("/")))
        try harness.equal(response.status, 200, "the status")
        try harness.equal(response.fields["X-Final"], "yes", "X-Final")
        try harness.equal(response.fields["X-E"], nil, "a field of an interim response")
        try harness.equal(response.text, "final", "the body")
      }
      let posted = try await harness.client.send(.post(harness.server.url("/continue"), .text("hello")))
      try harness.equal(posted.text, "final", "the response after 100")
    },

    Case("sends the body after 100 Continue when the request has Expect") { harness in
      harness.server.on("POST", "/", at: .head) { _ in .response(body: "done").afterContinue() }
      let response = try await harness.client.send(
        .post(harness.server.url("/"), .text("hello")).field("Expect", "100-continue"))
      try harness.equal(response.text, "done", "the response")
      try harness.equal(harness.server.requests[0].fields["Expect"], "100-continue", "Expect")
      try harness.equal(harness.server.requests[0].text, "hello", "the body")
    },

    Case("accepts a response without a reason phrase, with unusual spaces, and of HTTP/1.0") { harness in
      harness.server.script(
        "GET", "/",
        [
          .raw("HTTP/1.1 200\r\nContent-Length:2\r\nX-A:   padded \t \r\n\r\nok"),
          .raw("HTTP/1.0 200 OK\r\nX-A: padded\r\n\r\nok"),
        ])
      for (index, version) in ["HTTP/1.1", "HTTP/1.0"].enumerated() {
        let response = try await harness.client.send(.get(harness.server.url("/")))
        try harness.equal(response.text, "ok", "the body of \(version)")
        try harness.equal(response.fields["X-A"], "padded", "X-A of \(version)")
        if let spoken = response.timing.httpVersion {
          try harness.equal(spoken.rawValue, version, "the version")
        }
        // Otherwise the next request could be sent on the closing connection.
        try await harness.server.waitUntilClosed(connection: index + 1)
      }
    },

    Case("accepts a response that arrives before the body is sent") { harness in
      harness.server.on("POST", "/", at: .head) { _ in
        .response(status: 413, body: "too much").closingConnection()
      }
      let error = try await harness.fails(.rejected) {
        try await harness.client.send(.post(harness.server.url("/"), .bytes(Data(count: 30_000_000))))
      }
      try harness.equal(error.status, 413, "the status")
    },

    Case("returns the beginning of a rejected response, and all of it when any status is accepted") {
      harness in
      harness.server.on("/") { _ in .response(status: 404, body: "no such thing") }
      let error = try await harness.fails(.rejected) {
        try await harness.client.send(.get(harness.server.url("/")))
      }
      try harness.equal(error.status, 404, "the status")
      try harness.equal(
        error.bodyPrefix.map { String(decoding: $0, as: UTF8.self) }, "no such thing", "the prefix")
      let response = try await harness.client.send(.get(harness.server.url("/")).acceptingAnyStatus())
      try harness.equal(response.text, "no such thing", "the body")
    },

    Case("stores no cookies") { harness in
      harness.server.on("/") { _ in .response(fields: ["Set-Cookie": "session=1; Path=/"]) }
      for _ in 0..<2 { _ = try await harness.client.send(.get(harness.server.url("/"))) }
      try harness.equal(harness.server.requests[1].fields["Cookie"], nil, "Cookie")
    },

    Case("counts the sent and the received bytes") { harness in
      harness.server.on("/") { _ in .response(body: Data(count: 12_345)) }
      let response = try await harness.client.send(
        .post(harness.server.url("/"), .bytes(Data(count: 54_321))))
      try harness.equal(response.timing.bytesSent, 54_321, "bytesSent")
      try harness.equal(response.timing.bytesReceived, 12_345, "bytesReceived")
      try harness.expect(response.timing.total > .zero, "the total time is not positive")
    },
  ]
}

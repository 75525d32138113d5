import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension TransportConformance {
  static let answers: [Case] = [
    Case("expects no body behind HEAD, 204 and 304, whatever their fields say") { lab in
      lab.server.on("HEAD", "/head") { _ in .answer(body: "never sent") }
      lab.server.on("/204") { _ in .answer(status: 204) }
      lab.server.on("/304") { _ in .answer(status: 304, fields: ["Content-Length": "1000", "ETag": "\"x\""]) }
      lab.server.on("/next") { _ in .answer(body: "next") }
      for path in ["/head", "/204", "/304"] {
        let request = Request(path == "/head" ? .head : .get, lab.server.url(path)).acceptingAnyStatus()
        let response = try await lab.client.send(request.timeout(.seconds(3)))
        try lab.equal(response.data.count, 0, "the body of \(path)")
        if path == "/head" {
          try lab.equal(response.fields["Content-Length"], "10", "Content-Length of HEAD")
        }
        let next = try await lab.client.send(.get(lab.server.url("/next")))
        try lab.equal(next.text, "next", "the answer after \(path)")
      }
    },

    Case("takes an empty answer") { lab in
      lab.server.on("/plain") { _ in .answer() }
      lab.server.on("/chunked") { _ in .chunked() }
      lab.server.on("/closed") { _ in .answer().announcingNoLength() }
      for path in ["/plain", "/chunked", "/closed"] {
        let response = try await lab.client.send(.get(lab.server.url(path)))
        try lab.equal(response.data.count, 0, "the body of \(path)")
        try lab.equal(response.status, 200, "the status of \(path)")
      }
    },

    Case("takes a large answer byte for byte") { lab in
      let data = ConformanceLab.bytes(5_000_000)
      lab.server.on("/") { _ in .answer(body: data) }
      lab.server.on("/closed") { _ in .answer(body: data).announcingNoLength() }
      for path in ["/", "/closed"] {
        let response = try await lab.client.send(.get(lab.server.url(path)))
        try lab.equal(response.data, data, "the body of \(path)")
      }
    },

    Case("takes chunked answers, with extensions, trailers and any sizes") { lab in
      let data = ConformanceLab.bytes(300_000)
      var chunks: [Data] = []
      var rest = data
      for size in [1, 2, 15, 16, 17, 4095, 65_536, 100_000] {
        chunks.append(rest.prefix(size))
        rest = rest.dropFirst(size)
      }
      let all = chunks + [rest]
      lab.server.on("/sizes") { _ in .chunked(chunks: all.map { Data($0) }, trailers: ["X-Sum": "1"]) }
      lab.server.on("/extensions") { _ in
        .raw(
          "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
            + "5;name=value\r\nhello\r\n1;a\r\n!\r\n0\r\nX-T: 1\r\n\r\n")
      }
      let sizes = try await lab.client.send(.get(lab.server.url("/sizes")))
      try lab.equal(sizes.data, data, "the body")
      let extended = try await lab.client.send(.get(lab.server.url("/extensions")))
      try lab.equal(extended.text, "hello!", "the body with extensions")
    },

    Case("passes over interim answers") { lab in
      lab.server.on("/") { _ in
        .answer(fields: ["X-Final": "yes"], body: "final").afterInterim(
          103, fields: ["Link": "</a>", "X-E": "1"]
        )
        .afterInterim(102).afterInterim(103)
      }
      lab.server.on("POST", "/continue", at: .head) { _ in .answer(body: "final").afterContinue() }
      for _ in 0..<2 {
        let response = try await lab.client.send(.get(lab.server.url("/")))
        try lab.equal(response.status, 200, "the status")
        try lab.equal(response.fields["X-Final"], "yes", "X-Final")
        try lab.equal(response.fields["X-E"], nil, "a field of an interim answer")
        try lab.equal(response.text, "final", "the body")
      }
      let posted = try await lab.client.send(.post(lab.server.url("/continue"), .text("hello")))
      try lab.equal(posted.text, "final", "the answer after 100")
    },

    Case("sends the body after 100 Continue when Expect was asked for") { lab in
      lab.server.on("POST", "/", at: .head) { _ in .answer(body: "done").afterContinue() }
      let response = try await lab.client.send(
        .post(lab.server.url("/"), .text("hello")).field("Expect", "100-continue"))
      try lab.equal(response.text, "done", "the answer")
      try lab.equal(lab.server.requests[0].fields["Expect"], "100-continue", "Expect")
      try lab.equal(lab.server.requests[0].text, "hello", "the body")
    },

    Case("takes an answer without a reason, with bare fields, and one of HTTP/1.0") { lab in
      lab.server.script(
        "GET", "/",
        [
          .raw("HTTP/1.1 200\r\nContent-Length:2\r\nX-A:   padded \t \r\n\r\nok"),
          .raw("HTTP/1.0 200 OK\r\nX-A: padded\r\n\r\nok"),
        ])
      for (index, version) in ["HTTP/1.1", "HTTP/1.0"].enumerated() {
        let response = try await lab.client.send(.get(lab.server.url("/")))
        try lab.equal(response.text, "ok", "the body of \(version)")
        try lab.equal(response.fields["X-A"], "padded", "X-A of \(version)")
        if let spoken = response.timing.httpVersion { try lab.equal(spoken.rawValue, version, "the version") }
        // Else the next request may meet its end.
        try await lab.server.waitUntilClosed(connection: index + 1)
      }
    },

    Case("takes an answer that comes before the body is sent") { lab in
      lab.server.on("POST", "/", at: .head) { _ in .answer(status: 413, body: "too much").closingConnection()
      }
      let error = try await lab.fails(.rejected) {
        try await lab.client.send(.post(lab.server.url("/"), .bytes(Data(count: 30_000_000))))
      }
      try lab.equal(error.status, 413, "the status")
    },

    Case("hands a refused answer's beginning over, and takes it when any status will do") { lab in
      lab.server.on("/") { _ in .answer(status: 404, body: "no such thing") }
      let error = try await lab.fails(.rejected) { try await lab.client.send(.get(lab.server.url("/"))) }
      try lab.equal(error.status, 404, "the status")
      try lab.equal(
        error.bodyPrefix.map { String(decoding: $0, as: UTF8.self) }, "no such thing", "the prefix")
      let response = try await lab.client.send(.get(lab.server.url("/")).acceptingAnyStatus())
      try lab.equal(response.text, "no such thing", "the body")
    },

    Case("keeps no cookies") { lab in
      lab.server.on("/") { _ in .answer(fields: ["Set-Cookie": "session=1; Path=/"]) }
      for _ in 0..<2 { _ = try await lab.client.send(.get(lab.server.url("/"))) }
      try lab.equal(lab.server.requests[1].fields["Cookie"], nil, "Cookie")
    },

    Case("counts the bytes both ways") { lab in
      lab.server.on("/") { _ in .answer(body: Data(count: 12_345)) }
      let response = try await lab.client.send(.post(lab.server.url("/"), .bytes(Data(count: 54_321))))
      try lab.equal(response.timing.bytesSent, 54_321, "bytesSent")
      try lab.equal(response.timing.bytesReceived, 12_345, "bytesReceived")
      try lab.expect(response.timing.total > .zero, "the total time is not positive")
    },
  ]
}

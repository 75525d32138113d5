import ErrandCore
import ErrandTesting

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension TransportConformance {
  static let connecting: [Case] = [
    Case("fails at once when the connection is refused, and reports that nothing was sent") { harness in
      let hole = try BlackHole.refusing()
      for method in [HTTPMethod.get, .post] {
        try await harness.fails(.cannotConnect, reachedServer: false) {
          try await harness.client.send(Request(method, "http://127.0.0.1:\(hole.port)/", body: .text("x")))
        }
      }
    },

    Case("fails when the host has no address, and reports that nothing was sent") { harness in
      try await harness.fails(.cannotResolveHost, reachedServer: false) {
        try await harness.client.send(.post("http://no-such-host.invalid/", .text("x")))
      }
    },

    Case("times out when the server does not accept the connection") { harness in
      guard let hole = try BlackHole.silent() else {
        throw ConformanceSkip(reason: "this system cannot leave a connection unaccepted")
      }
      let start = ContinuousClock.now
      try await harness.fails(.timedOut, reachedServer: false) {
        try await harness.client.send(
          .post("http://127.0.0.1:\(hole.port)/", .text("x")).timeout(.milliseconds(400)))
      }
      try harness.expect(start.duration(to: .now) >= .milliseconds(390), "it timed out too soon")
    },

    Case("times out without a connection after the connect time-out, even if the other time-out is shorter") {
      harness in
      guard let hole = try BlackHole.silent() else {
        throw ConformanceSkip(reason: "this system cannot leave a connection unaccepted")
      }
      for (connect, other) in [(300, 30_000), (600, 100)] {
        let start = ContinuousClock.now
        let request = Request.post("http://127.0.0.1:\(hole.port)/", .text("x"))
          .connectTimeout(.milliseconds(connect)).timeout(.milliseconds(other))
        let error = try await harness.fails(.timedOut, .unsupported, reachedServer: false) {
          try await harness.client.send(request)
        }
        if error.code == .unsupported { continue }
        try harness.expect(error.message.contains("no connection was made"), error.message)
        let took = start.duration(to: .now)
        try harness.expect(took >= .milliseconds(connect - 10), "it timed out too soon")
        try harness.expect(took < .seconds(20), "it timed out too late")
      }
    },

    Case("ignores the connect time-out once it is connected") { harness in
      let whole = MockResponse.response(body: "0123")
      harness.server.on("/") { _ in whole.dripping(1, every: .milliseconds(200)) }
      let request = Request.get(harness.server.url("/")).connectTimeout(.milliseconds(300))
      do {
        let response = try await harness.client.send(request.timeout(.seconds(30)))
        try harness.equal(response.text, "0123", "the body")
        harness.server.on("/") { _ in whole.stalling(at: .start) }
        let start = ContinuousClock.now
        try await harness.fails(.timedOut, reachedServer: true) {
          try await harness.client.send(request.connectTimeout(.seconds(60)).timeout(.milliseconds(200)))
        }
        try harness.expect(start.duration(to: .now) < .seconds(20), "it timed out too late")
      } catch let error as RequestError where error.code == .unsupported {}
    },

    Case("times out or fails when the host name is not resolved in time") { harness in
      try await harness.fails(.timedOut, .cannotResolveHost, reachedServer: false) {
        try await harness.client.send(.get("http://no-such-host.invalid/").timeout(.milliseconds(1)))
      }
    },
  ]

  static let timeouts: [Case] = [
    Case("times out when a response does not come or stops, and closes the connection") { harness in
      let whole = MockResponse.response(fields: ["X-A": "some value"], body: "hello")
      let points: [MockResponse.Point] = [.start, .head(1), .head(30), .headEnd, .body(2)]
      for (number, point) in points.enumerated() {
        harness.server.on("/") { _ in whole.stalling(at: point) }
        let start = ContinuousClock.now
        try await harness.fails(.timedOut, reachedServer: true) {
          try await harness.client.send(.get(harness.server.url("/")).timeout(.milliseconds(300)))
        }
        try harness.expect(start.duration(to: .now) >= .milliseconds(290), "it timed out too soon")
        try await harness.server.waitUntilClosed(connection: number + 1)
      }
    },

    Case("times out when the server stops reading the body") { harness in
      harness.server.on("POST", "/", at: .head) { _ in MockResponse.stall.withoutReading() }
      try await harness.fails(.timedOut, reachedServer: true) {
        try await harness.client.send(
          .post(harness.server.url("/"), .bytes(Data(count: 50_000_000))).timeout(.milliseconds(500)))
      }
    },

    Case("does not time out while a response drips") { harness in
      harness.server.on("/") { _ in .response(body: "0123456789").dripping(1, every: .milliseconds(250)) }
      let response = try await harness.client.send(.get(harness.server.url("/")).timeout(.seconds(1)))
      try harness.equal(response.text, "0123456789", "the body")
      try harness.expect(response.timing.total > .seconds(2), "the response arrived too fast for this test")
    },

    Case("does not time out while a body is sent slowly") { harness in
      harness.server.on("POST", "/") { .response(body: $0.body) }
      let (chunks, source) = AsyncStream<Data>.makeStream()
      let feeding = Task {
        for number in 0..<10 {
          source.yield(Data("\(number)".utf8))
          try await Task.sleep(for: .milliseconds(250))
        }
        source.finish()
      }
      let response = try await harness.client.send(
        .post(harness.server.url("/"), .stream(chunks)).timeout(.seconds(1)))
      try await feeding.value
      try harness.equal(response.text, "0123456789", "the body")
    },

    Case("does not time out while the consumer of a stream pauses") { harness in
      let data = Data.noise(20_000_000)
      harness.server.on("/") { _ in .response(body: data) }
      let response = try await harness.client.stream(
        .get(harness.server.url("/")).timeout(.milliseconds(400)))
      try await Task.sleep(for: .milliseconds(1200))
      let chunks = response.chunks
      var received = Data()
      for try await chunk in chunks { received += chunk }
      try harness.equal(received, data, "the body")
    },

    Case("ends at the deadline although data arrives, and closes the connection") { harness in
      harness.server.on("/") { _ in
        .response(body: Data(count: 100_000)).dripping(1, every: .milliseconds(20))
      }
      try await harness.fails(.deadlineExceeded) {
        try await harness.client.send(.get(harness.server.url("/")).deadline(.milliseconds(300)))
      }
      try await harness.server.waitUntilClosed(connection: 1)
    },
  ]
}

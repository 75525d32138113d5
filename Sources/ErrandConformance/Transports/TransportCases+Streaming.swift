import ErrandCore
import ErrandTesting

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension TransportConformance {
  static let streaming: [Case] = [
    Case("streams a response completely and in order, and returns at its head") { harness in
      let data = Data.noise(8_000_000)
      harness.server.on("/") { _ in .response(body: data).pausing(.milliseconds(50), at: .headEnd) }
      let response = try await harness.client.stream(.get(harness.server.url("/")))
      try harness.equal(response.status, 200, "the status")
      let chunks = response.chunks
      var received = Data()
      for try await chunk in chunks { received += chunk }
      try harness.equal(received, data, "the body")
      try harness.expect(chunks.timing != nil, "no timing after the last chunk")
    },

    Case("delivers a chunk as soon as it arrives") { harness in
      harness.server.on("/") { _ in MockResponse.chunked("first", "never").stalling(at: .body(10)) }
      let response = try await harness.client.stream(.get(harness.server.url("/")))
      var iterator = response.chunks.makeAsyncIterator()
      let first = try await iterator.next()
      try harness.equal(first.map { String(decoding: $0, as: UTF8.self) }, "first", "the first chunk")
    },

    Case("reads no more from the network than a stream's consumer takes") { harness in
      let data = Data.noise(64 << 20)
      harness.server.on("/") { _ in .response(body: data) }
      let response = try await harness.client.stream(.get(harness.server.url("/")))
      let chunks = response.chunks
      var iterator = chunks.makeAsyncIterator()
      var received = try await iterator.next() ?? Data()
      // Unread data fills the client's buffer and then the system's. Without back-pressure, this time would
      // suffice for the whole body.
      try await Task.sleep(for: .milliseconds(700))
      let sent = harness.server.connections[0].bytesSent
      try harness.expect(
        sent < 32 << 20, "the server has sent \(sent) bytes to a consumer that took one chunk")
      while let chunk = try await iterator.next() { received += chunk }
      try harness.equal(received, data, "the body")
    },

    Case("reads no more from a stream's producer than the server accepts") { harness in
      // The server reads nothing, so only the buffers of the system and the transport fill up.
      harness.server.on("POST", "/", at: .head) { _ in MockResponse.stall.withoutReading() }
      let taken = Locked(0)
      let chunks = AsyncStream<Data>(unfolding: {
        taken.withLock { $0 += 1 }
        return Data(count: 100_000)
      })
      try await harness.fails(.timedOut) {
        try await harness.client.send(
          .post(harness.server.url("/"), .stream(chunks)).timeout(.milliseconds(700)))
      }
      let bytes = taken.withLock { $0 } * 100_000
      try harness.expect(bytes < 32_000_000, "\(bytes) bytes were taken from the producer")
    },

    Case("reports progress in both directions, never backwards, and up to the total") { harness in
      let data = Data.noise(3_000_000)
      let file = try harness.file("file", data)
      harness.server.on("/length") { .response(body: $0.body) }
      harness.server.on("/chunked") { .chunked(chunks: [$0.body]) }
      for (path, total) in [("/length", Int64(data.count)), ("/chunked", nil)] {
        for body in [
          RequestBody.bytes(data), .file(file), .stream(pieces(of: data, 10_000), length: Int64(data.count)),
        ] {
          let log = ProgressLog()
          _ = try await harness.client.send(.post(harness.server.url(path), body)) { log.append($0) }
          if let problem = log.problem { throw ConformanceFailure("\(body) to \(path): \(problem)") }
          try harness.equal(log.all.last?.sent, Int64(data.count), "the bytes sent, of \(body) to \(path)")
          try harness.equal(log.all.last?.sentTotal, Int64(data.count), "the bytes to send")
          try harness.equal(log.all.last?.received, Int64(data.count), "the bytes received")
          try harness.equal(log.all.last?.receivedTotal, total, "the bytes to receive")
        }
      }
    },

    Case("reports progress during the transfer, not only at the end") { harness in
      harness.server.on("/") { _ in .response(body: Data(count: 2000)).stalling(at: .body(1000)) }
      let (events, source) = AsyncStream<TransferProgress>.makeStream()
      let task = Task { try await harness.client.send(.get(harness.server.url("/"))) { source.yield($0) } }
      for await progress in events where progress.received == 1000 {
        try harness.equal(progress.receivedTotal, 2000, "the bytes to receive")
        break
      }
      task.cancel()
      _ = await task.result
    },

    Case("restarts progress with each attempt") { harness in
      let client = harness.client {
        $0.retry = .attempts(2)
        $0.retry.backoff = .zero
      }
      harness.server.script(
        "GET", "/",
        [.response(body: Data(count: 2000)).closing(at: .body(1500)), .response(body: Data(count: 2000))])
      let log = ProgressLog()
      _ = try await client.send(.get(harness.server.url("/"))) { log.append($0) }
      if let problem = log.problem { throw ConformanceFailure(problem) }
      try harness.equal(Set(log.all.map(\.attempt)), [1, 2], "the attempts that reported progress")
      let second = log.all.first { $0.attempt == 2 }
      try harness.equal(second?.received, 0, "the first progress of the second attempt")
      try harness.equal(log.all.last?.received, 2000, "the bytes received")
    },
  ]
}

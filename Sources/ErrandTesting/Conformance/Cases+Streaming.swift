import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension TransportConformance {
  static let streaming: [Case] = [
    Case("streams an answer whole and in order, and returns at its head") { lab in
      let data = ConformanceLab.bytes(8_000_000)
      lab.server.on("/") { _ in .answer(body: data).pausing(.milliseconds(50), at: .headEnd) }
      let response = try await lab.client.stream(.get(lab.server.url("/")))
      try lab.equal(response.status, 200, "the status")
      let chunks = response.chunks
      var received = Data()
      for try await chunk in chunks { received += chunk }
      try lab.equal(received, data, "the body")
      try lab.expect(chunks.timing != nil, "no timing after the last chunk")
    },

    Case("hands a chunk over as soon as it is here") { lab in
      lab.server.on("/") { _ in MockAnswer.chunked("first", "never").stalling(at: .body(10)) }
      let response = try await lab.client.stream(.get(lab.server.url("/")))
      var iterator = response.chunks.makeAsyncIterator()
      let first = try await iterator.next()
      try lab.equal(first.map { String(decoding: $0, as: UTF8.self) }, "first", "the first chunk")
    },

    Case("reads no more from the network than a stream's consumer takes") { lab in
      let data = ConformanceLab.bytes(64 << 20)
      lab.server.on("/") { _ in .answer(body: data) }
      let response = try await lab.client.stream(.get(lab.server.url("/")))
      let chunks = response.chunks
      var iterator = chunks.makeAsyncIterator()
      var received = try await iterator.next() ?? Data()
      // What is not taken piles up in the client's buffer and then in the system's; this is long enough for all of it
      // to come, if nothing held it back.
      try await Task.sleep(for: .milliseconds(700))
      let sent = lab.server.connections[0].bytesSent
      try lab.expect(sent < 32 << 20, "the server has sent \(sent) bytes to a consumer that took one chunk")
      while let chunk = try await iterator.next() { received += chunk }
      try lab.equal(received, data, "the body")
    },

    Case("reads no faster than a stream's producer is asked for") { lab in
      // The server takes nothing, so that only the system's buffers and the transport's own fill up.
      lab.server.on("POST", "/", at: .head) { _ in MockAnswer.stall.withoutReading() }
      let taken = Locked(0)
      let chunks = AsyncStream<Data>(unfolding: {
        taken.withLock { $0 += 1 }
        return Data(count: 100_000)
      })
      try await lab.fails(.timedOut) {
        try await lab.client.send(.post(lab.server.url("/"), .stream(chunks)).timeout(.milliseconds(700)))
      }
      let bytes = taken.withLock { $0 } * 100_000
      try lab.expect(bytes < 32_000_000, "\(bytes) bytes were taken from the producer")
    },

    Case("tells of progress both ways: never backwards, never past the total, and to the end") { lab in
      let data = ConformanceLab.bytes(3_000_000)
      let file = try lab.file("file", data)
      lab.server.on("/length") { .answer(body: $0.body) }
      lab.server.on("/chunked") { .chunked(chunks: [$0.body]) }
      for (path, total) in [("/length", Int64(data.count)), ("/chunked", nil)] {
        for body in [
          Body.bytes(data), .file(file), .stream(pieces(of: data, 10_000), length: Int64(data.count)),
        ] {
          let log = ProgressLog()
          _ = try await lab.client.send(.post(lab.server.url(path), body)) { log.append($0) }
          if let problem = log.problem { throw ConformanceFailure("\(body) to \(path): \(problem)") }
          try lab.equal(log.all.last?.sent, Int64(data.count), "the bytes sent, of \(body) to \(path)")
          try lab.equal(log.all.last?.sentTotal, Int64(data.count), "the bytes to send")
          try lab.equal(log.all.last?.received, Int64(data.count), "the bytes received")
          try lab.equal(log.all.last?.receivedTotal, total, "the bytes to receive")
        }
      }
    },

    Case("tells of progress on the way, not only at the end") { lab in
      lab.server.on("/") { _ in .answer(body: Data(count: 2000)).stalling(at: .body(1000)) }
      let (events, source) = AsyncStream<TransferProgress>.makeStream()
      let task = Task { try await lab.client.send(.get(lab.server.url("/"))) { source.yield($0) } }
      for await progress in events where progress.received == 1000 {
        try lab.equal(progress.receivedTotal, 2000, "the bytes to receive")
        break
      }
      task.cancel()
      _ = await task.result
    },

    Case("begins progress anew with each try") { lab in
      let client = lab.client {
        $0.retry = .tries(2)
        $0.retry.backoff = .zero
      }
      lab.server.script(
        "GET", "/",
        [.answer(body: Data(count: 2000)).closing(at: .body(1500)), .answer(body: Data(count: 2000))])
      let log = ProgressLog()
      _ = try await client.send(.get(lab.server.url("/"))) { log.append($0) }
      if let problem = log.problem { throw ConformanceFailure(problem) }
      try lab.equal(Set(log.all.map(\.attempt)), [1, 2], "the tries that were told of")
      let second = log.all.first { $0.attempt == 2 }
      try lab.equal(second?.received, 0, "what the second try begins with")
      try lab.equal(log.all.last?.received, 2000, "the bytes received")
    },
  ]
}

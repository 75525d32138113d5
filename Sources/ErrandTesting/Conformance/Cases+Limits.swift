import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension TransportConformance {
  static let limits: [Case] = [
    Case("refuses a body over the memory limit, announced or not, and reads no more of it") { lab in
      let body = Data(count: 60_000_000)
      lab.server.on("/announced") { _ in .answer(body: body) }
      lab.server.on("/chunked") { _ in .chunked(chunks: [body]) }
      for (number, path) in ["/announced", "/chunked"].enumerated() {
        try await lab.fails(.bodyTooLarge, reachedServer: true) {
          try await lab.client.send(.get(lab.server.url(path)).memoryLimit(100_000))
        }
        try await lab.server.waitUntilClosed(connection: number + 1)
        let sent = lab.server.connections[number].bytesSent
        try lab.expect(sent < 40_000_000, "\(sent) bytes were sent")
      }
    },

    Case("takes a body as large as the memory limit") { lab in
      lab.server.on("/announced") { _ in .answer(body: Data(count: 100_000)) }
      lab.server.on("/chunked") { _ in .chunked(chunks: [Data(count: 100_000)]) }
      for path in ["/announced", "/chunked"] {
        let response = try await lab.client.send(.get(lab.server.url(path)).memoryLimit(100_000))
        try lab.equal(response.data.count, 100_000, "the body's length")
      }
    },

    Case("takes 64 KiB of fields and refuses a megabyte of them") { lab in
      for (count, size) in [(1, 60_000), (600, 100), (1, 1_000_000), (10_000, 100)] {
        lab.server.on("/") { _ in
          var fields = HTTPFields()
          for number in 0..<count { fields.append("X-\(number)", String(repeating: "a", count: size)) }
          return .answer(fields: fields, body: "ok")
        }
        let request = Request.get(lab.server.url("/"))
        if count * size < 65_536 {
          let response = try await lab.client.send(request)
          try lab.equal(response.fields["X-\(count - 1)"]?.count, size, "the length of the last field")
        } else {
          try await lab.fails(.fieldsTooLarge, reachedServer: true) { try await lab.client.send(request) }
        }
      }
    },

    Case("refuses fields without end") { lab in
      let line = "X-Again: \(String(repeating: "a", count: 1000))\r\n"
      lab.server.on("/") { _ in .raw("HTTP/1.1 200 OK\r\n" + String(repeating: line, count: 20_000)) }
      try await lab.fails(.fieldsTooLarge, reachedServer: true) {
        try await lab.client.send(.get(lab.server.url("/")))
      }
      try await lab.server.waitForOpenConnections(0)
    },
  ]
}

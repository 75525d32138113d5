import ErrandCore
import ErrandTesting

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension TransportConformance {
  static let limits: [Case] = [
    Case("refuses a body over the memory limit, announced or not, and stops reading it") { harness in
      let body = Data(count: 60_000_000)
      harness.server.on("/announced") { _ in .response(body: body) }
      harness.server.on("/chunked") { _ in .chunked(chunks: [body]) }
      for (number, path) in ["/announced", "/chunked"].enumerated() {
        try await harness.fails(.bodyTooLarge, reachedServer: true) {
          try await harness.client.send(.get(harness.server.url(path)).memoryLimit(100_000))
        }
        try await harness.server.waitUntilClosed(connection: number + 1)
        let sent = harness.server.connections[number].bytesSent
        try harness.expect(sent < 40_000_000, "\(sent) bytes were sent")
      }
    },

    Case("accepts a body as large as the memory limit") { harness in
      harness.server.on("/announced") { _ in .response(body: Data(count: 100_000)) }
      harness.server.on("/chunked") { _ in .chunked(chunks: [Data(count: 100_000)]) }
      for path in ["/announced", "/chunked"] {
        let response = try await harness.client.send(.get(harness.server.url(path)).memoryLimit(100_000))
        try harness.equal(response.data.count, 100_000, "the body's length")
      }
    },

    Case("accepts 64 KiB of header fields and refuses a megabyte") { harness in
      for (count, size) in [(1, 60_000), (600, 100), (1, 1_000_000), (10_000, 100)] {
        harness.server.on("/") { _ in
          var fields = HTTPFields()
          for number in 0..<count { fields.append("X-\(number)", String(repeating: "a", count: size)) }
          return .response(fields: fields, body: "ok")
        }
        let request = Request.get(harness.server.url("/"))
        if count * size < 65_536 {
          let response = try await harness.client.send(request)
          try harness.equal(response.fields["X-\(count - 1)"]?.count, size, "the length of the last field")
        } else {
          try await harness.fails(.fieldsTooLarge, reachedServer: true) {
            try await harness.client.send(request)
          }
        }
      }
    },

    Case("refuses endless header fields") { harness in
      let line = "X-Again: \(String(repeating: "a", count: 1000))\r\n"
      harness.server.on("/") { _ in .raw("HTTP/1.1 200 OK\r\n" + String(repeating: line, count: 20_000)) }
      try await harness.fails(.fieldsTooLarge, reachedServer: true) {
        try await harness.client.send(.get(harness.server.url("/")))
      }
      try await harness.server.waitForOpenConnections(0)
    },
  ]
}

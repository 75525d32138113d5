import ErrandAuthentication
import ErrandCore
import ErrandTesting

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension TransportConformance {
  static let redirects: [Case] = [
    Case("returns every 3xx response and does not follow it itself") { harness in
      let client = harness.client { $0.redirects.limit = 0 }
      for status in [300, 301, 302, 303, 304, 307, 308] {
        harness.server.on("/from") { _ in .redirect(status, to: "/to") }
        let response = try await client.send(.get(harness.server.url("/from")).acceptingAnyStatus())
        try harness.equal(response.status, HTTPStatus(status), "the status")
        try harness.equal(response.fields["Location"], "/to", "Location")
      }
      try harness.equal(harness.server.count("/to"), 0, "the requests for /to")
    },

    Case("turns a POST into a GET without a body after 303, 302 and 301") { harness in
      harness.server.on("/to") { _ in .response(body: "there") }
      for status in [301, 302, 303] {
        harness.server.on("/from") { _ in .redirect(status, to: "/to") }
        let response = try await harness.client.send(.post(harness.server.url("/from"), .text("body")))
        try harness.equal(response.text, "there", "the response")
        let request = harness.server.requests.last!
        try harness.equal(request.method, .get, "the method after \(status)")
        try harness.equal(request.bodyBytes, 0, "the body after \(status)")
        try harness.equal(request.fields["Content-Type"], nil, "Content-Type after \(status)")
      }
    },

    Case("keeps the method and the body after 307 and 308") { harness in
      let data = Data.noise(200_000)
      let file = try harness.file("body.bin", data)
      harness.server.on("/to") { .response(body: $0.body) }
      for status in [307, 308] {
        harness.server.on("/from") { _ in .redirect(status, to: "/to") }
        for body in [RequestBody.bytes(data), .file(file)] {
          let response = try await harness.client.send(.put(harness.server.url("/from"), body))
          try harness.equal(response.data, data, "the body after \(status)")
          try harness.equal(harness.server.requests.last!.method, .put, "the method after \(status)")
          try harness.equal(response.timing.redirects, 1, "the redirects")
          try harness.equal(response.url, harness.server.url("/to"), "the URL that responded")
        }
      }
    },

    Case("refuses to send a stream a second time after 307") { harness in
      harness.server.on("/from") { _ in .redirect(307, to: "/to") }
      try await harness.fails(.bodyNotReplayable) {
        try await harness.client.send(
          .post(harness.server.url("/from"), .stream(pieces(of: Data("abc".utf8), 1))))
      }
      try harness.equal(harness.server.count("/to"), 0, "the requests for /to")
    },

    Case("sends credentials after a redirect within the origin, but not to another origin") { harness in
      let other = try MockServer()
      other.on("/to") { _ in .response(body: "other") }
      harness.server.on("/to") { _ in .response(body: "same") }
      harness.server.on("/same") { _ in .redirect(to: "/to") }
      let elsewhere = other.url("/to").absoluteString
      harness.server.on("/other") { _ in .redirect(307, to: elsewhere) }
      func request(_ path: String) -> Request {
        Request.get(harness.server.url(path)).bearer("s3cret").field("Cookie", "a=b")
          .field("X-Key", "s3cret", isSecret: true).field("X-Tenant", "7").field("Accept", "plain")
      }
      _ = try await harness.client.send(request("/same"))
      let kept = harness.server.requests.last!.fields
      try harness.equal(kept["Authorization"], "Bearer s3cret", "Authorization within the origin")
      try harness.equal(kept["Cookie"], "a=b", "Cookie within the origin")
      try harness.equal(kept["X-Key"], "s3cret", "X-Key within the origin")
      _ = try await harness.client.send(request("/other"))
      let dropped = other.requests[0].fields
      for name in ["Authorization", "Cookie", "X-Key", "X-Tenant"] {
        try harness.equal(dropped[name], nil, "\(name) at the other origin")
      }
      try harness.equal(dropped["Accept"], "plain", "Accept at the other origin")
      try harness.equal(dropped["Host"], "127.0.0.1:\(other.port)", "Host at the other origin")
    },

    Case("sends the user and password of a URL to its own origin only") { harness in
      let other = try MockServer()
      other.otherwise { _ in .response() }
      let elsewhere = other.url("/to").absoluteString
      harness.server.on("/from") { _ in .redirect(to: elsewhere) }
      _ = try await harness.client.send(.get("http://user:pass@127.0.0.1:\(harness.server.port)/from"))
      try harness.equal(
        harness.server.requests[0].fields["Authorization"], "Basic dXNlcjpwYXNz", "Authorization")
      try harness.equal(other.requests[0].fields["Authorization"], nil, "Authorization at the other origin")
    },

    Case("ends a redirect loop at the limit") { harness in
      harness.server.on("/a") { _ in .redirect(to: "/b") }
      harness.server.on("/b") { _ in .redirect(to: "/a") }
      let error = try await harness.fails(.tooManyRedirects) {
        try await harness.client.send(.get(harness.server.url("/a")))
      }
      try harness.equal(error.status, 302, "the status")
      try harness.equal(harness.server.requests.count, 11, "the requests")
    },

    Case("refuses a redirect to a file or to an invalid URL") { harness in
      for location in ["file:///etc/passwd", "ftp://127.0.0.1/x", "javascript:alert(1)", "http://"] {
        harness.server.on("/") { _ in .redirect(to: location) }
        try await harness.fails(.redirectRefused) {
          try await harness.client.send(.get(harness.server.url("/")))
        }
      }
    },

    Case("follows relative redirects and discards their bodies") { harness in
      harness.server.on("/a/b") { _ in
        .response(status: 302, fields: ["Location": "../c/d?x=1"], body: Data(count: 2_000_000))
      }
      harness.server.on("/c/d") { _ in .response(body: "there") }
      let response = try await harness.client.send(.get(harness.server.url("/a/b")).memoryLimit(1000))
      try harness.equal(response.text, "there", "the response")
      try harness.equal(harness.server.requests.last!.target, "/c/d?x=1", "the target")
    },
  ]
}

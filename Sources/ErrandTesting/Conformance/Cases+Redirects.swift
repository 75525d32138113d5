import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension TransportConformance {
  static let redirects: [Case] = [
    Case("hands every 3xx over and follows none by itself") { lab in
      let client = lab.client { $0.redirects.limit = 0 }
      for status in [300, 301, 302, 303, 304, 307, 308] {
        lab.server.on("/from") { _ in .redirect(status, to: "/to") }
        let response = try await client.send(.get(lab.server.url("/from")).acceptingAnyStatus())
        try lab.equal(response.status, Status(status), "the status")
        try lab.equal(response.fields["Location"], "/to", "Location")
      }
      try lab.equal(lab.server.count("/to"), 0, "the requests for /to")
    },

    Case("turns a POST into a GET without a body after 303, 302 and 301") { lab in
      lab.server.on("/to") { _ in .answer(body: "there") }
      for status in [301, 302, 303] {
        lab.server.on("/from") { _ in .redirect(status, to: "/to") }
        let response = try await lab.client.send(.post(lab.server.url("/from"), .text("body")))
        try lab.equal(response.text, "there", "the answer")
        let request = lab.server.requests.last!
        try lab.equal(request.method, .get, "the method after \(status)")
        try lab.equal(request.bodyBytes, 0, "the body after \(status)")
        try lab.equal(request.fields["Content-Type"], nil, "Content-Type after \(status)")
      }
    },

    Case("keeps the method and the body after 307 and 308") { lab in
      let data = ConformanceLab.bytes(200_000)
      let file = try lab.file("body.bin", data)
      lab.server.on("/to") { .answer(body: $0.body) }
      for status in [307, 308] {
        lab.server.on("/from") { _ in .redirect(status, to: "/to") }
        for body in [Body.bytes(data), .file(file)] {
          let response = try await lab.client.send(.put(lab.server.url("/from"), body))
          try lab.equal(response.data, data, "the body after \(status)")
          try lab.equal(lab.server.requests.last!.method, .put, "the method after \(status)")
          try lab.equal(response.timing.redirects, 1, "the redirects")
          try lab.equal(response.url, lab.server.url("/to"), "the URL that answered")
        }
      }
    },

    Case("refuses to send a stream a second time after 307") { lab in
      lab.server.on("/from") { _ in .redirect(307, to: "/to") }
      try await lab.fails(.bodyNotReplayable) {
        try await lab.client.send(.post(lab.server.url("/from"), .stream(pieces(of: Data("abc".utf8), 1))))
      }
      try lab.equal(lab.server.count("/to"), 0, "the requests for /to")
    },

    Case("sends no credentials to another origin, and keeps them within one") { lab in
      let other = try MockServer()
      other.on("/to") { _ in .answer(body: "other") }
      lab.server.on("/to") { _ in .answer(body: "same") }
      lab.server.on("/same") { _ in .redirect(to: "/to") }
      let elsewhere = other.url("/to").absoluteString
      lab.server.on("/other") { _ in .redirect(307, to: elsewhere) }
      func request(_ path: String) -> Request {
        Request.get(lab.server.url(path)).bearer("s3cret").field("Cookie", "a=b")
          .field("X-Key", "s3cret", isSecret: true).field("X-Tenant", "7").field("Accept", "plain")
      }
      _ = try await lab.client.send(request("/same"))
      let kept = lab.server.requests.last!.fields
      try lab.equal(kept["Authorization"], "Bearer s3cret", "Authorization within the origin")
      try lab.equal(kept["Cookie"], "a=b", "Cookie within the origin")
      try lab.equal(kept["X-Key"], "s3cret", "X-Key within the origin")
      _ = try await lab.client.send(request("/other"))
      let dropped = other.requests[0].fields
      for name in ["Authorization", "Cookie", "X-Key", "X-Tenant"] {
        try lab.equal(dropped[name], nil, "\(name) at the other origin")
      }
      try lab.equal(dropped["Accept"], "plain", "Accept at the other origin")
      try lab.equal(dropped["Host"], "127.0.0.1:\(other.port)", "Host at the other origin")
    },

    Case("sends the user and password of a URL to its own origin only") { lab in
      let other = try MockServer()
      other.otherwise { _ in .answer() }
      let elsewhere = other.url("/to").absoluteString
      lab.server.on("/from") { _ in .redirect(to: elsewhere) }
      _ = try await lab.client.send(.get("http://user:pass@127.0.0.1:\(lab.server.port)/from"))
      try lab.equal(lab.server.requests[0].fields["Authorization"], "Basic dXNlcjpwYXNz", "Authorization")
      try lab.equal(other.requests[0].fields["Authorization"], nil, "Authorization at the other origin")
    },

    Case("ends a redirect loop at the limit") { lab in
      lab.server.on("/a") { _ in .redirect(to: "/b") }
      lab.server.on("/b") { _ in .redirect(to: "/a") }
      let error = try await lab.fails(.tooManyRedirects) {
        try await lab.client.send(.get(lab.server.url("/a")))
      }
      try lab.equal(error.status, 302, "the status")
      try lab.equal(lab.server.requests.count, 11, "the requests")
    },

    Case("refuses a redirect to a file, and to what is no URL") { lab in
      for location in ["file:///etc/passwd", "ftp://127.0.0.1/x", "javascript:alert(1)", "http://"] {
        lab.server.on("/") { _ in .redirect(to: location) }
        try await lab.fails(.redirectRefused) { try await lab.client.send(.get(lab.server.url("/"))) }
      }
    },

    Case("follows relative redirects, and passes over their bodies") { lab in
      lab.server.on("/a/b") { _ in
        .answer(status: 302, fields: ["Location": "../c/d?x=1"], body: Data(count: 2_000_000))
      }
      lab.server.on("/c/d") { _ in .answer(body: "there") }
      let response = try await lab.client.send(.get(lab.server.url("/a/b")).memoryLimit(1000))
      try lab.equal(response.text, "there", "the answer")
      try lab.equal(lab.server.requests.last!.target, "/c/d?x=1", "the target")
    },
  ]
}

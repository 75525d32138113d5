import ErrandCore
import ErrandTesting

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension TransportConformance {
  static let requests: [Case] = [
    Case("sends any method unchanged") { harness in
      harness.server.otherwise { .response(fields: ["X-Method": $0.method.rawValue]) }
      let methods: [HTTPMethod] = [
        .get, .post, .put, .patch, .delete, .options, "PURGE", "PROPFIND", "M-SEARCH",
      ]
      for method in methods {
        let response = try await harness.client.send(Request(method, harness.server.url("/m")))
        try harness.equal(response.fields["X-Method"], method.rawValue, "the method")
      }
      // These requests may share a connection and a handle, and must not leak state to one another.
      for method in [HTTPMethod.head, .post, .get, .delete, .put, .get] {
        _ = try await harness.client.send(Request(method, harness.server.url("/n")))
      }
      try harness.equal(
        harness.server.requests.filter { $0.path == "/n" }.map(\.method),
        [.head, .post, .get, .delete, .put, .get], "the methods")
    },

    Case("sends the path and the query unchanged") { harness in
      harness.server.otherwise { _ in .response() }
      let targets = [
        "/", "/a%20b/%C3%A9", "/a%2Fb", "/?q=1&q=2", "/p?x=a%26b&y=%2B+", "/;v=1/x,y", "/q?a=b?c/d",
        "/~a/b_c-d.e",
      ]
      for target in targets { _ = try await harness.client.send(.get(harness.server.url(target))) }
      try harness.equal(harness.server.requests.map(\.target), targets, "the targets")
    },

    Case("sends no fragment") { harness in
      harness.server.otherwise { _ in .response() }
      _ = try await harness.client.send(.get("\(harness.server.url("/a"))#part"))
      try harness.equal(harness.server.requests[0].target, "/a", "the target")
    },

    Case("sends header fields with several values in order, and with empty values") { harness in
      harness.server.otherwise { _ in .response() }
      let request = Request.get(harness.server.url("/")).addingField("X-Many", "one").addingField(
        "X-Other", "other"
      )
      .addingField("X-Many", "two, three").addingField("X-Empty", "").addingField("X-Spaces", "a  b;c=\"d\"")
      _ = try await harness.client.send(request)
      let fields = harness.server.requests[0].fields
      try harness.equal(fields.values(of: "X-Many").joined(separator: ", "), "one, two, three", "X-Many")
      try harness.equal(fields["X-Other"], "other", "X-Other")
      try harness.equal(fields["X-Empty"], "", "X-Empty")
      try harness.equal(fields["X-Spaces"], "a  b;c=\"d\"", "X-Spaces")
    },

    Case("adds no unexpected header fields") { harness in
      harness.server.otherwise { _ in .response() }
      _ = try await harness.client.send(.get(harness.server.url("/")))
      _ = try await harness.client.send(
        .post(harness.server.url("/"), .bytes(Data.noise(100_000))))
      let harmless = ["host", "user-agent", "accept", "accept-encoding", "accept-language", "connection"]
      for (request, more) in zip(harness.server.requests, [[], ["content-length", "content-type"]]) {
        let surprises = request.fields.map { ASCII.lowercased($0.name) }
          .filter { !(harmless + more).contains($0) }
        try harness.equal(surprises, [], "the unexpected header fields of \(request.method)")
      }
      try harness.equal(
        harness.server.requests[0].fields["Host"], "127.0.0.1:\(harness.server.port)", "Host")
      try harness.equal(
        harness.server.requests[1].fields["Content-Type"], "application/octet-stream", "Content-Type")
    },

    Case("lets a request override automatic header fields") { harness in
      harness.server.otherwise { _ in .response() }
      let request = Request.get(harness.server.url("/")).field("User-Agent", "mine/1").field(
        "Accept", "text/x"
      )
      .field("Host", "example.test")
      _ = try await harness.client.send(request)
      let fields = harness.server.requests[0].fields
      try harness.equal(fields.values(of: "User-Agent"), ["mine/1"], "User-Agent")
      try harness.equal(fields.values(of: "Accept"), ["text/x"], "Accept")
      try harness.equal(fields.values(of: "Host"), ["example.test"], "Host")
    },

    Case("sends Content-Length: 0 and no Content-Type for POST, PUT and PATCH without a body") { harness in
      harness.server.otherwise { _ in .response() }
      for method in [HTTPMethod.post, .put, .patch] {
        _ = try await harness.client.send(Request(method, harness.server.url("/")))
      }
      for request in harness.server.requests {
        try harness.equal(request.fields["Content-Length"], "0", "Content-Length of \(request.method)")
        try harness.equal(request.fields["Content-Type"], nil, "Content-Type of \(request.method)")
        try harness.equal(request.fields["Transfer-Encoding"], nil, "Transfer-Encoding of \(request.method)")
      }
    },

    Case("sends no fields of a body for GET, HEAD, DELETE and OPTIONS without a body") { harness in
      harness.server.otherwise { _ in .response() }
      for method in [HTTPMethod.get, .head, .delete, .options] {
        _ = try await harness.client.send(Request(method, harness.server.url("/")))
      }
      for request in harness.server.requests {
        for name in ["Content-Length", "Content-Type", "Transfer-Encoding", "Expect"] {
          try harness.equal(request.fields[name], nil, "\(name) of \(request.method)")
        }
      }
    },

    Case("reports the status and all header fields of a response") { harness in
      harness.server.on("/") { _ in
        .response(
          status: 203, fields: ["X-A": "1", "Set-Cookie": "a=1", "X-B": "", "set-cookie": "b=2; Path=/"],
          body: "body")
      }
      let response = try await harness.client.send(.get(harness.server.url("/")))
      try harness.equal(response.status, 203, "the status")
      try harness.equal(response.fields["X-A"], "1", "X-A")
      try harness.equal(response.fields["x-b"], "", "X-B")
      try harness.expect(
        response.fields.values(of: "Set-Cookie").joined(separator: "|").contains("a=1"),
        "the first Set-Cookie is missing")
      try harness.expect(
        response.fields.values(of: "Set-Cookie").joined(separator: "|").contains("b=2; Path=/"),
        "the second Set-Cookie is missing")
      try harness.equal(response.text, "body", "the body")
    },

    Case("keeps header fields with one name separate and in order") { harness in
      harness.server.on("/") { _ in .response(fields: ["X-M": "1", "X-N": "n", "x-m": "2", "X-M": "3, 4"]) }
      let response = try await harness.client.send(.get(harness.server.url("/")))
      try harness.equal(response.fields.values(of: "X-M"), ["1", "2", "3, 4"], "X-M")
    },
  ]
}

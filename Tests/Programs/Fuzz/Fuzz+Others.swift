import ErrandAuthentication
import ErrandCore
import ErrandCurl
import ErrandOutbox
import Foundation

/// Random bytes from servers, files and configurations.
extension Fuzz {
  private func response(_ status: String, _ fields: [(String, String)], body: String = "", length: Int? = nil)
    -> [UInt8]
  {
    var head = "HTTP/1.1 \(status)\r\nConnection: close\r\nContent-Length: \(length ?? body.utf8.count)\r\n"
    for (name, value) in fields { head += "\(name): \(value)\r\n" }
    return Array("\(head)\r\n\(body)".utf8)
  }

  func redirect() async -> String? {
    let start = junk.pick([
      "", "/", "?", "//user:hush@127.0.0.1:\(server.port)/", "http://user:hush@h/", "//h", "../",
    ])
    let location = start + junk.text(without: "\r\n\u{0}")
    server.response(with: [
      response(junk.pick(["302 Found", "307 Temporary Redirect"]), [("Location", location)])
    ])
    let request = Request.post("http://first/a/b", .text("body")).bearer("mine")
    do {
      let response = try await proxied.send(request)
      if response.url.absoluteString.contains("hush") { return "the user stays in \(response.url)" }
    } catch {
      if "\(error)".contains("hush") { return "the user stays in \(error)" }
    }
    return look(atMost: 2) { found in
      let secrets = found.values(of: "authorization")
      return secrets.allSatisfy { $0.elementsEqual("Bearer mine".utf8) } ? nil : "a user became a credential"
    }
  }

  private var file: URL { folder.appending(path: "t") }
  private var part: URL { folder.appending(path: ".t.errand-part") }
  private var memoFile: URL { folder.appending(path: ".t.errand-part.json") }

  private func forget() {
    for file in [file, part, memoFile] { try? FileManager.default.removeItem(at: file) }
  }

  private func goneOn(_ url: String, meant: String) async -> String? {
    _ = try? await client.download(.get(url), to: file, resume: true)
    return look { found in
      let tags = found.values(of: "if-range")
      guard tags.count == found.values(of: "range").count, tags.count < 2 else { return "half of a range" }
      return tags.allSatisfy { $0 == Meaning.trimmed(meant) }
        ? nil : "not the validator \(meant.debugDescription)"
    }
  }

  func memo() async -> String? {
    forget()
    defer { forget() }
    let validator = junk.chance(3) ? "\"\(junk.text())\"" : junk.text()
    let url = "\(origin)/memo"
    try? Data("01234".utf8).write(to: part)
    let memo: [String: Any] = ["url": url, "validator": validator, "total": 10]
    let data =
      junk.chance(5) ? Data(junk.bytes()) : (try? JSONSerialization.data(withJSONObject: memo)) ?? Data()
    try? data.write(to: memoFile)
    return await goneOn(url, meant: validator)
  }

  func tag() async -> String? {
    forget()
    defer { forget() }
    let tag = junk.chance(2) ? "\"\(junk.text(without: "\n"))\"" : junk.text(without: "\n")
    let url = "\(origin)/tag"
    server.response(with: [response("200 OK", [("ETag", tag)], body: "01234", length: 10)])
    _ = try? await client.download(.get(url), to: file, resume: true)
    if let fault = look({ _ in nil }) { return fault }
    return await goneOn(url, meant: tag)
  }

  func proxy() async -> String? {
    let place = "127.0.0.1:\(server.port)"
    let text =
      switch junk.number(0..<3) {
      case 0: "http://\(junk.text(without: "/?#@"))@\(place)"
      case 1: junk.pick(["\r\n", "\u{0}", " ", "\t", "", "\n"]) + "http://\(place)"
      default: "http://\(place)/\(junk.text())"
      }
    var curl = CurlConfiguration()
    curl.proxy = .url(text)
    return await briefly(curl, .get("\(origin)/p")) { found in
      found.target.starts(with: "http://".utf8) ? nil : "the proxy \(text.debugDescription) was bypassed"
    }
  }

  func hostOverride() async -> String? {
    let (more, less) = (junk.text(), junk.text())
    let isPlain = more.utf8.allSatisfy { 48...57 ~= $0 || 97...122 ~= $0 | 32 && $0 < 128 && $0 > 64 }
    let host = "fuzz\(more).test"
    var curl = CurlConfiguration()
    curl.hostOverrides = [
      .init(host: host, port: server.port, address: "127.0.0.1\(junk.chance(2) ? "" : less)")
    ]
    let asked = isPlain ? host : "fuzz.test"
    return await briefly(curl, .get("http://\(asked):\(server.port)/o")) { found in
      found.text(of: "host")?.lowercased() == "\(asked):\(server.port)".lowercased()
        ? nil : "not the host \(asked)"
    }
  }

  private func briefly(
    _ curl: CurlConfiguration, _ request: Request, _ check: (StrictRequest) -> String?
  ) async -> String? {
    let client = Self.client(curl)
    let fault = await sent(request, by: client, check)
    await client.shutdown(within: .zero)
    return fault
  }

  func cookie() async -> String? {
    server.response(with: [response("200 OK", [("Set-Cookie", junk.word() + "=" + junk.text(without: "\n"))])]
    )
    if let fault = await sent(.get("\(origin)/c"), by: cookies, { _ in nil }) { return fault }
    return await sent(.get("\(origin)/c"), by: cookies) { _ in nil }
  }

  func importing() async -> String? {
    func either(_ plain: String) -> String { junk.chance(3) ? junk.text() : plain }
    let (method, url) = (either("POST"), "\(origin)/" + either("x"))
    let (name, value, type) = (either("X-A"), either("1"), either("text/plain"))
    let key = either("key-\(junk.number(0..<1_000_000))")
    let line: [String: Any] = [
      "errand-outbox": 1, "id": either("id-\(junk.number(0..<1_000_000_000))"), "lane": either("lane"),
      "priority": "default", "created": "2026-01-01T00:00:00.000Z", "state": "stored", "method": method,
      "url": url,
      "fields": [[name, value]], "idempotencyKey": key, "contentType": type, "body": "bytes",
      "segments": [["bytes": 0]],
    ]
    guard let data = try? JSONSerialization.data(withJSONObject: line) else { return nil }
    _ = try? await outbox.import(
      AsyncStream {
        $0.yield(data + Data("\n".utf8))
        $0.finish()
      })
    try? await outbox.waitUntilEmpty()
    return look { found in
      guard found.method.elementsEqual(method.utf8) else { return "not the method" }
      let isNamed = found.values(of: name.lowercased()).contains(Meaning.trimmed(value))
      guard isNamed,
        found.values(of: "content-type").contains(Meaning.trimmed(type))
          || name.lowercased() == "content-type"
      else {
        return "not the fields \(name.debugDescription) \(value.debugDescription) \(type.debugDescription)"
      }
      let target = Meaning.target(String(url.dropFirst(origin.count)))
      return Meaning.target(String(decoding: found.target, as: UTF8.self)) == target ? nil : "not the target"
    }
  }
}

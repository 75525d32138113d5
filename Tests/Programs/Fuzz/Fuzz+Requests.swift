import ErrandAuthentication
import ErrandCore
import Foundation

/// Requests of which every part may be random.
extension Fuzz {
  private static let names = [
    "Host", "Content-Type", "Content-Length", "Transfer-Encoding", "Cookie", "Range", "If-Range",
    "Authorization",
    "User-Agent", "Accept", "Idempotency-Key", "X-A",
  ]

  func fields() async -> String? {
    var request = Request(junk.chance(2) ? .post : .get, "\(origin)/f")
    var meant: [(String, String)] = []
    for _ in 0..<junk.number(1..<4) {
      let name = junk.chance(3) ? junk.text() : junk.chance(2) ? junk.pick(Self.names) : junk.word()
      let value = junk.text()
      // Repeated names that must be unique are tested elsewhere.
      guard !meant.contains(where: { $0.0.lowercased() == name.lowercased() }) else { continue }
      request = junk.chance(3) ? request.field(name, value) : request.addingField(name, value)
      meant.append((name, value))
    }
    if junk.chance(8) {
      let key = junk.text()
      request = request.idempotencyKey(key)
      let escaped = key.utf8.flatMap { $0 == 34 || $0 == 92 ? [92, $0] : [$0] }
      meant.removeAll { $0.0.lowercased() == "idempotency-key" }
      meant.append(("idempotency-key", "\"\(String(decoding: escaped, as: UTF8.self))\""))
      if request.fields.map({ $0.name.lowercased() }) != meant.map({ $0.0.lowercased() }) {
        meant.sort { $0.0 < $1.0 }
      }
    }
    var body: [UInt8] = []
    var isCompressed = false
    if request.method == .post {
      let (text, type) = (junk.text(), junk.text())
      body = Array(text.utf8)
      request = request.body(.text(text, contentType: type))
      if !meant.contains(where: { $0.0.lowercased() == "content-type" }) {
        meant.append(("content-type", type))
      }
      isCompressed = junk.chance(10)
      if isCompressed {
        request = request.compressed()
        meant.append(("content-encoding", "gzip"))
      }
    }
    return await sent(request) { found in
      // libcurl reorders some header fields.
      let order = { (left: (name: String, value: [UInt8]), right: (name: String, value: [UInt8])) in
        left.name < right.name
      }
      var sorted = found
      sorted.fields.sort(by: order)
      if !have(sorted, meant.sorted { $0.0.lowercased() < $1.0.lowercased() }) {
        return "not the fields \(meant)"
      }
      return isCompressed || found.body == body ? nil : "not the body \(shown(body))"
    }
  }

  func method() async -> String? {
    let method = junk.text()
    return await sent(Request(HTTPMethod(method), "\(origin)/m")) { found in
      found.method.elementsEqual(method.utf8) ? nil : "not the method \(method.debugDescription)"
    }
  }

  func url() async -> String? {
    var text = "/" + junk.text()
    if junk.chance(2) { text += "?" + junk.text() }
    if junk.chance(8) { text += "#" + junk.text() }
    var expected = Meaning.target(text)
    var request = Request.get(origin + text)
    if junk.chance(4), !text.contains("#") {
      let (name, value) = (junk.text(), junk.text())
      request = request.query(name, value)
      let item = "\(Meaning.queryItem(name))=\(Meaning.queryItem(value))"
      let joint = !text.contains("?") ? "?" : text.hasSuffix("?") || text.hasSuffix("&") ? "" : "&"
      expected = Meaning.target(text + joint + item)
    }
    return await sent(request) { found in
      Meaning.target(String(decoding: found.target, as: UTF8.self)) == expected
        ? nil : "not the target \(shown(expected))"
    }
  }

  func user() async -> String? {
    let user = junk.text(without: "/?#")
    return await sent(.get("http://\(user)@127.0.0.1:\(server.port)/u")) { found in
      let value = found.values(of: "authorization")
      return value == (user.isEmpty ? [] : [Meaning.basic(user)])
        ? nil : "not the user \(user.debugDescription)"
    }
  }

  func host() async -> String? {
    let host = "h\(junk.text(without: "/?#@"))"
    return await sent(.get("http://\(host)/"), by: proxied) { found in
      let named = found.text(of: "host") ?? ""
      guard found.target.elementsEqual("http://\(named)/".utf8) else {
        return "Host is not that of the target"
      }
      let plain = String(decoding: Meaning.decoded(Array(host.utf8)), as: UTF8.self).lowercased()
      // Letters beyond ASCII are written in ASCII (IDNA), and a default port is omitted.
      if plain.utf8.contains(where: { $0 >= 128 }) { return nil }
      let isSame =
        plain == named.lowercased()
        || plain.split(separator: ":").first.map(String.init) == named.lowercased()
      return isSame ? nil : "not the host \(host.debugDescription)"
    }
  }

  func form() async -> String? {
    let boundary = junk.chance(3) ? nil : junk.chance(2) ? junk.word(1..<20) : junk.text()
    var form = boundary.map { MultipartForm(boundary: $0) } ?? MultipartForm()
    var meant: [StrictForm.Part] = []
    for _ in 0..<junk.number(0..<4) {
      let name = junk.text()
      var content = junk.bytes()
      if let boundary, junk.chance(6) { content += Array("\r\n--\(boundary)\r\n\r\n".utf8) }
      var head = "Content-Disposition: form-data; name=\"\(Meaning.quoted(name))\""
      if junk.chance(2) {
        content = Array(String(decoding: content, as: UTF8.self).utf8)
        form = form.field(name, String(decoding: content, as: UTF8.self))
      } else {
        let (file, type) = (junk.text(), junk.chance(3) ? junk.text() : "text/plain; charset=\"utf-8\"")
        form = form.bytes(name, Data(content), fileName: file, contentType: type)
        head += "; filename=\"\(Meaning.quoted(file))\"\r\nContent-Type: \(type)"
      }
      meant.append(StrictForm.Part(head: Array(head.utf8), content: content))
    }
    return await sent(.post("\(origin)/form", .multipart(form))) { found in
      guard let read = StrictForm(found.body, contentType: found.text(of: "content-type") ?? "") else {
        return meant.isEmpty ? nil : "no form"
      }
      return read.parts == meant ? nil : "not the parts"
    }
  }
}

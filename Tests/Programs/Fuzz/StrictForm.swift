/// The parts of a form, parsed strictly by RFC 7578.
struct StrictForm {
  struct Part: Equatable {
    var head: [UInt8]
    var content: [UInt8]
  }

  let parts: [Part]

  /// Parses a form; nil if it is malformed.
  init?(_ body: [UInt8], contentType: String) {
    let start = "multipart/form-data; boundary="
    guard contentType.hasPrefix(start) else { return nil }
    var boundary = String(contentType.dropFirst(start.count))
    if boundary.hasPrefix("\"") {
      guard boundary.hasSuffix("\""), boundary.utf8.count > 2 else { return nil }
      boundary = String(boundary.dropFirst().dropLast())
    } else {
      guard StrictRequest.isToken(Array(boundary.utf8)) else { return nil }
    }
    guard 1...70 ~= boundary.utf8.count, !boundary.contains("\""), !boundary.contains("\\") else {
      return nil
    }
    let line = Array("--\(boundary)".utf8)
    guard body.starts(with: line) else { return nil }
    var (parts, index): ([Part], Int) = ([], line.count)
    while true {
      if body[index...].elementsEqual("--\r\n".utf8) { break }
      guard body[index...].starts(with: [13, 10]),
        let head = StrictRequest.end(of: [13, 10, 13, 10], in: body, from: index),
        let next = StrictRequest.end(of: [13, 10] + line, in: body, from: head - 2)
      else { return nil }
      guard next >= head + line.count + 2 else { return nil }
      parts.append(
        Part(head: Array(body[index + 2..<head - 4]), content: Array(body[head..<next - line.count - 2])))
      index = next
    }
    self.parts = parts
  }
}

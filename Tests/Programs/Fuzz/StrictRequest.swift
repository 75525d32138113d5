import Glibc

/// One request, parsed strictly by RFC 9112. Shares no code with Errand, MockServer or Foundation.
struct StrictRequest: Sendable {
  var method: [UInt8] = []
  var target: [UInt8] = []
  var fields: [(name: String, value: [UInt8])] = []
  var body: [UInt8] = []
  /// The index of its end among the bytes that were read.
  var end = 0

  enum Reading: Sendable {
    case incomplete
    case bad(String)
    case whole(StrictRequest)
  }

  func values(of name: String) -> [[UInt8]] { fields.filter { $0.name == name }.map(\.value) }
  func text(of name: String) -> String? {
    values(of: name).first.map { String(decoding: $0, as: UTF8.self) }
  }

  static func read(_ bytes: [UInt8]) -> Reading {
    var request = StrictRequest()
    guard let head = end(of: [13, 10, 13, 10], in: bytes, from: 0) else {
      return looksBad(bytes).map(Reading.bad) ?? .incomplete
    }
    var lines: [ArraySlice<UInt8>] = []
    var start = 0
    while start < head - 2 {
      guard let end = end(of: [13, 10], in: bytes, from: start) else { return .bad("a line without an end") }
      lines.append(bytes[start..<end - 2])
      start = end
    }
    let parts = lines[0].split(separator: 32, omittingEmptySubsequences: false)
    guard parts.count == 3, parts[2].elementsEqual("HTTP/1.1".utf8) else {
      return .bad("no valid request line")
    }
    guard isToken(parts[0]) else { return .bad("a method that is not a token") }
    guard !parts[1].isEmpty, parts[1].allSatisfy(mayStandInTarget) else {
      return .bad("a target that is not a part of a URL")
    }
    (request.method, request.target) = (Array(parts[0]), Array(parts[1]))
    for line in lines.dropFirst() {
      guard let colon = line.firstIndex(of: 58), isToken(line[..<colon]) else {
        return .bad("a name that is not a token")
      }
      var value = line[(colon + 1)...]
      while let first = value.first, first == 32 || first == 9 { value.removeFirst() }
      while let last = value.last, last == 32 || last == 9 { value.removeLast() }
      guard value.allSatisfy({ $0 == 9 || ($0 >= 32 && $0 != 127) }) else {
        return .bad("a control character in a value")
      }
      let name = String(decoding: line[..<colon].map { 65...90 ~= $0 ? $0 | 32 : $0 }, as: UTF8.self)
      request.fields.append((name, Array(value)))
    }
    return request.readBody(bytes, from: head)
  }

  private mutating func readBody(_ bytes: [UInt8], from start: Int) -> Reading {
    guard values(of: "host").count == 1 else { return .bad("no Host, or several") }
    let (lengths, codings) = (values(of: "content-length"), values(of: "transfer-encoding"))
    guard lengths.count + codings.count <= 1 else { return .bad("more than one length") }
    if let coding = codings.first {
      guard coding.elementsEqual("chunked".utf8) else { return .bad("a transfer coding") }
      return readChunks(bytes, from: start)
    }
    var length = 0
    if let text = lengths.first {
      guard let number = Int(String(decoding: text, as: UTF8.self)), number >= 0 else {
        return .bad("a length")
      }
      length = number
    }
    guard bytes.count >= start + length else { return .incomplete }
    body = Array(bytes[start..<start + length])
    end = start + length
    return .whole(self)
  }

  private mutating func readChunks(_ bytes: [UInt8], from start: Int) -> Reading {
    var index = start
    while true {
      guard let line = Self.end(of: [13, 10], in: bytes, from: index) else { return .incomplete }
      guard let size = Int(String(decoding: bytes[index..<line - 2], as: UTF8.self), radix: 16), size >= 0
      else {
        return .bad("an invalid chunk size")
      }
      guard bytes.count >= line + size + 2 else { return .incomplete }
      guard bytes[line + size] == 13, bytes[line + size + 1] == 10 else {
        return .bad("an invalid chunk end")
      }
      body += bytes[line..<line + size]
      index = line + size + 2
      if size == 0 {
        end = index
        return .whole(self)
      }
    }
  }

  /// Returns why an incomplete head cannot become a request, or nil.
  private static func looksBad(_ bytes: [UInt8]) -> String? {
    bytes.contains(0) ? "a NUL" : bytes.count > 4 << 20 ? "no end of the head" : nil
  }

  /// Returns the index after the next `mark`.
  static func end(of mark: [UInt8], in bytes: [UInt8], from start: Int) -> Int? {
    bytes.withUnsafeBytes { bytes -> Int? in
      var index = start
      while index + mark.count <= bytes.count {
        let rest = bytes.count - mark.count + 1 - index
        guard let found = memchr(bytes.baseAddress! + index, Int32(mark[0]), rest) else { return nil }
        index = UnsafeRawPointer(found) - bytes.baseAddress!
        if memcmp(found, mark, mark.count) == 0 { return index + mark.count }
        index += 1
      }
      return nil
    }
  }

  // Tables, because every byte of every request is looked up.
  private static let tokens = table { 33...126 ~= $0 && !"\"(),/:;<=>?@[\\]{}".utf8.contains($0) }
  /// All characters of a URL except `#`.
  private static let targets = table { 33...126 ~= $0 && !"\"#<>\\^`{|}".utf8.contains($0) }

  private static func table(_ mayStand: (UInt8) -> Bool) -> [Bool] { (0...255).map { mayStand(UInt8($0)) } }

  static func isToken(_ bytes: some Collection<UInt8>) -> Bool {
    !bytes.isEmpty && bytes.allSatisfy { tokens[Int($0)] }
  }

  private static func mayStandInTarget(_ byte: UInt8) -> Bool { targets[Int(byte)] }
}

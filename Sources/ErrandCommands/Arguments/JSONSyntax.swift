/// Checks incrementally that bytes are one JSON text (RFC 8259), and locates the first fault. Pure.
struct JSONSyntax: Sendable {
  struct Fault: Error, Sendable, Hashable, CustomStringConvertible {
    let line: Int
    let column: Int
    let problem: String
    var description: String { "line \(line), column \(column): \(problem)" }
  }

  /// The position between two tokens, which decides which token may come next.
  private enum Place {
    case value
    case firstElement
    case afterElement
    case firstName
    case name
    case colon
    case afterMember
    case end

    var expected: String {
      switch self {
      case .value: "a value"
      case .firstElement: "a value or ]"
      case .afterElement: ", or ]"
      case .firstName: "a name in double quotes or }"
      case .name: "a name in double quotes"
      case .colon: "a colon"
      case .afterMember: ", or }"
      case .end: "the end of the text"
      }
    }
  }

  /// The token that is being read.
  private enum Token {
    case none
    case string
    case escape
    case digits(Int)
    case word(ArraySlice<UInt8>)
    case number(NumberPart)
  }

  private enum NumberPart {
    case minus, zero, integer, point, fraction, mark, sign, exponent

    var isComplete: Bool {
      switch self {
      case .zero, .integer, .fraction, .exponent: true
      case .minus, .point, .mark, .sign: false
      }
    }

    func following(_ byte: UInt8) -> NumberPart? {
      switch (self, byte) {
      case (.minus, UInt8(ascii: "0")): .zero
      case (.minus, 49...57), (.integer, 48...57): .integer
      case (.zero, UInt8(ascii: ".")), (.integer, UInt8(ascii: ".")): .point
      case (.point, 48...57), (.fraction, 48...57): .fraction
      case (.zero, 69), (.zero, 101), (.integer, 69), (.integer, 101), (.fraction, 69), (.fraction, 101):
        .mark
      case (.mark, UInt8(ascii: "+")), (.mark, UInt8(ascii: "-")): .sign
      case (.mark, 48...57), (.sign, 48...57), (.exponent, 48...57): .exponent
      default: nil
      }
    }
  }

  private var place = Place.value
  private var token = Token.none
  /// The open arrays and objects, from the outside in: true for an object.
  private var isObject: [Bool] = []
  private var isName = false
  private var utf8 = UTF8Tail()
  private var line = 1
  private var column = 1

  init() {}

  /// Checks the value of `--json`, or of another source that the error names.
  static func check(_ bytes: some Sequence<UInt8>, of source: String = "--json") throws(UsageError) {
    var syntax = JSONSyntax()
    do {
      try syntax.read(bytes)
      try syntax.finish()
    } catch {
      throw UsageError(error, of: source)
    }
  }

  mutating func read(_ bytes: some Sequence<UInt8>) throws(Fault) {
    for byte in bytes {
      try read(byte)
      if byte == 0x0A {
        (line, column) = (line + 1, 1)
      } else if byte & 0xC0 != 0x80 {
        column += 1
      }
    }
  }

  /// Checks that the text is complete.
  mutating func finish() throws(Fault) {
    if case .number(let part) = token, part.isComplete { endValue() }
    switch token {
    case .none where place == .end: return
    case .string, .escape, .digits: throw fault("a string is not closed")
    default: throw fault("the text ends too early: \(place == .end ? "a value" : place.expected) is missing")
    }
  }

  private mutating func read(_ byte: UInt8) throws(Fault) {
    switch token {
    case .none: try readBetween(byte)
    case .string: try readString(byte)
    case .escape:
      if byte == UInt8(ascii: "u") {
        token = .digits(4)
      } else if "\"\\/bfnrt".utf8.contains(byte) {
        token = .string
      } else {
        throw fault("\\ must be followed by one of \" \\ / b f n r t u, not by \(Self.shown(byte))")
      }
    case .digits(let count):
      guard Self.isHexadecimal(byte) else { throw fault("\\u must be followed by four hexadecimal digits") }
      token = count == 1 ? .string : .digits(count - 1)
    case .word(let rest):
      guard byte == rest.first else { throw fault("\(Self.shown(byte)) is not expected here") }
      token = .word(rest.dropFirst())
      if rest.count == 1 { endValue() }
    case .number(let part):
      if let next = part.following(byte) {
        token = .number(next)
      } else if part.isComplete {
        endValue()
        try readBetween(byte)
      } else {
        throw fault("a number cannot continue with \(Self.shown(byte))")
      }
    }
  }

  private mutating func readString(_ byte: UInt8) throws(Fault) {
    guard utf8.accept(byte) else { throw fault("a string is not UTF-8") }
    switch byte {
    case UInt8(ascii: "\\"): token = .escape
    case UInt8(ascii: "\""):
      if isName {
        (token, place) = (.none, .colon)
      } else {
        endValue()
      }
    case ..<32: throw fault("a string contains \(Self.shown(byte)), which must be escaped")
    default: break
    }
  }

  private mutating func readBetween(_ byte: UInt8) throws(Fault) {
    switch (place, byte) {
    case (_, 0x20), (_, 0x09), (_, 0x0A), (_, 0x0D): return
    case (.value, _): try beginValue(byte)
    case (.firstElement, UInt8(ascii: "]")), (.afterElement, UInt8(ascii: "]")),
      (.firstName, UInt8(ascii: "}")), (.afterMember, UInt8(ascii: "}")):
      isObject.removeLast()
      endValue()
    case (.firstElement, _): try beginValue(byte)
    case (.afterElement, UInt8(ascii: ",")): place = .value
    case (.firstName, UInt8(ascii: "\"")), (.name, UInt8(ascii: "\"")): (token, isName) = (.string, true)
    case (.colon, UInt8(ascii: ":")): place = .value
    case (.afterMember, UInt8(ascii: ",")): place = .name
    default: throw unexpected(byte)
    }
  }

  private mutating func beginValue(_ byte: UInt8) throws(Fault) {
    switch byte {
    case UInt8(ascii: "{"):
      isObject.append(true)
      place = .firstName
    case UInt8(ascii: "["):
      isObject.append(false)
      place = .firstElement
    case UInt8(ascii: "\""): (token, isName) = (.string, false)
    case UInt8(ascii: "-"): token = .number(.minus)
    case UInt8(ascii: "0"): token = .number(.zero)
    case 49...57: token = .number(.integer)
    case UInt8(ascii: "t"): token = .word(Array("rue".utf8)[...])
    case UInt8(ascii: "f"): token = .word(Array("alse".utf8)[...])
    case UInt8(ascii: "n"): token = .word(Array("ull".utf8)[...])
    default: throw unexpected(byte)
    }
  }

  private mutating func endValue() {
    token = .none
    place = isObject.last.map { $0 ? .afterMember : .afterElement } ?? .end
  }

  private func unexpected(_ byte: UInt8) -> Fault {
    fault("\(place.expected) is expected, not \(Self.shown(byte))")
  }

  private func fault(_ problem: String) -> Fault { Fault(line: line, column: column, problem: problem) }

  private static func shown(_ byte: UInt8) -> String {
    33..<127 ~= byte ? String(UnicodeScalar(byte)) : "the byte 0x\(String(byte, radix: 16, uppercase: true))"
  }

  private static func isHexadecimal(_ byte: UInt8) -> Bool {
    48...57 ~= byte || 65...70 ~= byte || 97...102 ~= byte
  }
}

extension UsageError {
  /// - Parameter source: The option or the item with the fault.
  init(_ fault: JSONSyntax.Fault, of source: String) {
    self.init(
      "\(source) is not valid JSON: \(fault)",
      hint: source.hasPrefix("--json")
        ? "To send it unchecked: -d DATA -H 'Content-Type: application/json'." : "For text: name=value.")
  }
}

/// Checks that bytes form valid UTF-8 (RFC 3629, section 4).
private struct UTF8Tail: Sendable {
  private var left = 0
  private var next: ClosedRange<UInt8> = 0x80...0xBF

  /// Returns false if the byte cannot follow those before it.
  mutating func accept(_ byte: UInt8) -> Bool {
    if left > 0 {
      guard next.contains(byte) else { return false }
      (left, next) = (left - 1, 0x80...0xBF)
      return true
    }
    switch byte {
    case ..<0x80: break
    case 0xC2...0xDF: left = 1
    case 0xE0: (left, next) = (2, 0xA0...0xBF)
    case 0xED: (left, next) = (2, 0x80...0x9F)
    case 0xE1...0xEF: left = 2
    case 0xF0: (left, next) = (3, 0x90...0xBF)
    case 0xF4: (left, next) = (3, 0x80...0x8F)
    case 0xF1...0xF3: left = 3
    default: return false
    }
    return true
  }
}

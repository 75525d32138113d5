#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Lays out JSON for people, incrementally: one member on a line, optionally with colours. Every token is written
/// unchanged, so numbers keep all digits. Other text than JSON is written without its spaces.
struct JSONPrinter: Sendable {
  private enum Colour: String {
    case key = "\u{1B}[34m"
    case string = "\u{1B}[32m"
    case other = "\u{1B}[33m"
    case end = "\u{1B}[0m"
  }

  /// The deepest indentation; deeper values are indented as little.
  private static let deepest = 60

  private let hasColours: Bool
  /// The open objects (true) and arrays (false), from the outside in, down to `deepest`.
  private var open: [Bool] = []
  private var depth = 0
  private var isInString = false
  private var isEscaped = false
  private var isInWord = false
  /// True after a bracket, until something follows it.
  private var isEmpty = false
  private var expectsKey = false

  init(hasColours: Bool) { self.hasColours = hasColours }

  /// True if the environment allows colours (https://no-color.org).
  static var mayColour: Bool {
    func value(_ name: String) -> String { getenv(name).map { String(cString: $0) } ?? "" }
    return value("NO_COLOR").isEmpty && value("TERM") != "dumb"
  }

  /// Returns true for the media type of JSON and types based on it, such as `application/problem+json`.
  static func isJSON(_ contentType: String?) -> Bool {
    let type = (contentType ?? "").prefix { $0 != ";" }.lowercased().filter { $0 != " " }
    return type == "application/json" || type.hasSuffix("+json") || type == "text/json"
  }

  mutating func print(_ bytes: some Sequence<UInt8>) -> [UInt8] {
    var output: [UInt8] = []
    for byte in bytes { take(byte, &output) }
    return output
  }

  /// Ends the text, and resets the colour if the text was cut within a token.
  mutating func finish() -> [UInt8] {
    var output: [UInt8] = []
    if isInString || isInWord { paint(.end, &output) }
    (isInString, isInWord) = (false, false)
    return output
  }

  private mutating func take(_ byte: UInt8, _ output: inout [UInt8]) {
    if isInString { return takeOfString(byte, &output) }
    switch byte {
    case 9, 10, 13, 32: endWord(&output)
    case UInt8(ascii: "\""):
      beginValue(&output)
      paint(isKey ? .key : .string, &output)
      output.append(byte)
      isInString = true
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      beginValue(&output)
      output.append(byte)
      enter(isObject: byte == UInt8(ascii: "{"))
    case UInt8(ascii: "}"), UInt8(ascii: "]"):
      endWord(&output)
      leave(&output)
      output.append(byte)
    case UInt8(ascii: ","):
      endWord(&output)
      output.append(byte)
      newLine(&output)
      expectsKey = open.last == true
    case UInt8(ascii: ":"):
      endWord(&output)
      output += [byte, 32]
      expectsKey = false
    default:
      if !isInWord {
        beginValue(&output)
        paint(.other, &output)
        isInWord = true
      }
      output.append(byte)
    }
  }

  private mutating func takeOfString(_ byte: UInt8, _ output: inout [UInt8]) {
    output.append(byte)
    if isEscaped {
      isEscaped = false
    } else if byte == UInt8(ascii: "\\") {
      isEscaped = true
    } else if byte == UInt8(ascii: "\"") {
      isInString = false
      paint(.end, &output)
    }
  }

  private var isKey: Bool { expectsKey }

  private mutating func beginValue(_ output: inout [UInt8]) {
    endWord(&output)
    if isEmpty { newLine(&output) }
    isEmpty = false
  }

  private mutating func endWord(_ output: inout [UInt8]) {
    if isInWord { paint(.end, &output) }
    isInWord = false
  }

  private mutating func enter(isObject: Bool) {
    depth += 1
    if depth <= Self.deepest { open.append(isObject) }
    isEmpty = true
    expectsKey = isObject
  }

  private mutating func leave(_ output: inout [UInt8]) {
    if depth > 0 {
      if depth <= Self.deepest { open.removeLast() }
      depth -= 1
    }
    if !isEmpty { newLine(&output) }
    (isEmpty, expectsKey) = (false, false)
  }

  private func newLine(_ output: inout [UInt8]) {
    output.append(10)
    output += [UInt8](repeating: 32, count: 2 * min(depth, Self.deepest))
  }

  private func paint(_ colour: Colour, _ output: inout [UInt8]) {
    if hasColours { output += Array(colour.rawValue.utf8) }
  }
}

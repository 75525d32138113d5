/// The directives of a message's `Cache-Control` field (RFC 9111, section 5.2). Pure.
struct CacheControl: Sendable, Hashable {
  /// A directive's time.
  enum Seconds: Sendable, Hashable {
    case valid(Int)
    /// The directive has no number, or no valid one. It then stands for the time that is safest.
    case malformed
  }

  /// The largest time, as RFC 9111, section 1.2.2 says. Larger numbers have the same meaning.
  static let longest = 2_147_483_648

  /// The names in lower case, with their arguments. Of repeated directives, the first counts.
  private var directives: [(name: String, argument: String?)] = []

  /// True if the message has no directive.
  var isEmpty: Bool { directives.isEmpty }

  /// Reads all lines of `Cache-Control`.
  init(_ fields: HTTPFields) {
    fields.forEachValue(of: "Cache-Control") { read($0) }
  }

  static func == (left: Self, right: Self) -> Bool {
    left.directives.elementsEqual(right.directives) { $0.name == $1.name && $0.argument == $1.argument }
  }

  func hash(into hasher: inout Hasher) {
    for directive in directives {
      hasher.combine(directive.name)
      hasher.combine(directive.argument)
    }
  }

  /// Returns true if the directive is present, with or without an argument.
  func contains(_ name: String) -> Bool { directives.contains { $0.name == name } }

  /// Returns true if the directive is present without names of fields, which would limit it to those fields.
  func isUnqualified(_ name: String) -> Bool { contains(name) && fieldNames(of: name).isEmpty }

  /// Returns the directive's time; nil if it is not present.
  func seconds(_ name: String) -> Seconds? {
    guard let directive = directives.first(where: { $0.name == name }) else { return nil }
    guard let argument = directive.argument, !argument.isEmpty,
      argument.utf8.allSatisfy({ 48...57 ~= $0 })
    else { return .malformed }
    return .valid(Int(min(ASCII.wholeNumber(argument) ?? .max, Int64(Self.longest))))
  }

  /// Returns the names of fields that `no-cache` or `private` is limited to, in lower case.
  func fieldNames(of name: String) -> [String] {
    directives.filter { $0.name == name }.flatMap { directive in
      (directive.argument ?? "").split(separator: ",").map { ASCII.lowercased(ASCII.trimmed($0)) }
    }.filter { !$0.isEmpty }
  }

  /// Reads one line. An argument is a token or a quoted string. What is neither is kept as it is, so that it is not
  /// a valid number. A quote that does not end is not a quote, so that it hides no directive.
  private mutating func read(_ line: String) {
    let bytes = Array(line.utf8)
    let mayQuote = bytes.count { $0 == UInt8(ascii: "\"") }.isMultiple(of: 2)
    var index = 0
    while index < bytes.count {
      var name: [UInt8] = []
      var argument: [UInt8]?
      var isQuoted = false
      while index < bytes.count, isQuoted || bytes[index] != UInt8(ascii: ",") {
        let byte = bytes[index]
        index += 1
        if isQuoted, byte == UInt8(ascii: "\\"), index < bytes.count {
          argument?.append(bytes[index])
          index += 1
        } else if byte == UInt8(ascii: "\""), mayQuote {
          isQuoted.toggle()
        } else if argument != nil {
          argument?.append(byte)
        } else if byte == UInt8(ascii: "="), !isQuoted {
          argument = []
        } else {
          name.append(byte)
        }
      }
      index += 1
      let text = ASCII.lowercased(ASCII.trimmed(String(decoding: name, as: UTF8.self)))
      guard !text.isEmpty else { continue }
      directives.append((text, argument.map { ASCII.trimmed(String(decoding: $0, as: UTF8.self)) }))
    }
  }
}

/// Parses structured fields in one pass and without recursion (RFC 9651, section 4.2).
///
/// Each method expects a value at the position, and moves the position after it.
struct StructuredFieldParser {
  private let input: UnsafeBufferPointer<UInt8>
  private(set) var position = 0

  private init(_ input: UnsafeBufferPointer<UInt8>) { self.input = input }

  /// Parses all of a field's lines with `body`.
  static func parse<Value>(
    _ lines: [String], _ maximumBytes: Int,
    _ body: (inout StructuredFieldParser) throws(StructuredFieldError) -> Value
  ) throws(StructuredFieldError) -> Value {
    let separator = ", "
    let length = lines.reduce(max(0, lines.count - 1) * separator.utf8.count) { $0 + $1.utf8.count }
    guard length <= maximumBytes else {
      throw StructuredFieldError(
        .tooLong,
        "the field has \(length) bytes, more than the \(maximumBytes) that are accepted; parse it with a "
          + "larger maximumBytes if such fields are expected")
    }
    var value = lines.count == 1 ? lines[0] : lines.joined(separator: separator)
    let result = value.withUTF8 { bytes -> Result<Value, StructuredFieldError> in
      do throws(StructuredFieldError) {
        var parser = StructuredFieldParser(bytes)
        parser.skipSpaces()
        let value = try body(&parser)
        parser.skipSpaces()
        guard parser.isAtEnd else { throw parser.malformed("the value has to be the end of the field") }
        return .success(value)
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  // MARK: Structures

  /// Parses a list (section 4.2.1).
  mutating func list() throws(StructuredFieldError) -> [StructuredMember] {
    var members: [StructuredMember] = []
    guard !isAtEnd else { return members }
    members.reserveCapacity(maximumCount)
    repeat { members.append(try member()) } while try skipComma()
    return members
  }

  /// Parses a dictionary (section 4.2.2).
  mutating func dictionary() throws(StructuredFieldError) -> StructuredDictionary {
    guard !isAtEnd else { return [:] }
    var dictionary = StructuredDictionary(capacity: maximumCount)
    repeat {
      let key = try key()
      let member = try skip(FieldByte.equals) ? member() : .boolean(true, parameters: parameters())
      dictionary.set(key, member)
    } while try skipComma()
    return dictionary
  }

  /// Parses an item or an inner list (section 4.2.1.1).
  private mutating func member() throws(StructuredFieldError) -> StructuredMember {
    next == FieldByte.open ? .innerList(try innerList()) : .item(try item())
  }

  /// Parses an inner list (section 4.2.1.2).
  private mutating func innerList() throws(StructuredFieldError) -> StructuredInnerList {
    position += 1
    var items: [StructuredItem] = []
    while true {
      skipSpaces()
      if skip(FieldByte.close) { return StructuredInnerList(items, parameters: try parameters()) }
      guard !isAtEnd else { throw malformed("an inner list has no end; it needs a )") }
      items.append(try item())
      guard next == FieldByte.space || next == FieldByte.close else {
        throw malformed("an item of an inner list has to be followed by a space or by )")
      }
    }
  }

  /// Parses an item (section 4.2.3).
  mutating func item() throws(StructuredFieldError) -> StructuredItem {
    let value = try bareItem()
    return StructuredItem(value, parameters: try parameters())
  }

  /// Parses parameters (section 4.2.3.2). Without any, they are empty.
  private mutating func parameters() throws(StructuredFieldError) -> StructuredParameters {
    guard next == FieldByte.semicolon else { return StructuredParameters() }
    var parameters = StructuredParameters(capacity: 2)
    while skip(FieldByte.semicolon) {
      skipSpaces()
      let key = try key()
      parameters.set(key, try skip(FieldByte.equals) ? bareItem() : .boolean(true))
    }
    return parameters
  }

  /// Parses a key (section 4.2.3.3).
  private mutating func key() throws(StructuredFieldError) -> String {
    guard let first = next, FieldByte.beginsKey(first) else {
      throw malformed("a key has to begin with a lowercase letter or *")
    }
    let start = position
    repeat { position += 1 } while next.map(FieldByte.isKey) ?? false
    return text(from: start)
  }

  // MARK: Bytes

  /// The byte at the position; nil at the end. Only this property and `bytes(from:)` read the input.
  var next: UInt8? { position < input.count ? input[position] : nil }

  /// The number of members in the input, or more if strings contain commas.
  private var maximumCount: Int { input.reduce(1) { $0 &+ ($1 == FieldByte.comma ? 1 : 0) } }

  var isAtEnd: Bool { position >= input.count }

  mutating func advance() { position += 1 }

  /// Skips this byte if it is next.
  mutating func skip(_ byte: UInt8) -> Bool {
    guard next == byte else { return false }
    position += 1
    return true
  }

  private mutating func skipSpaces() {
    while next == FieldByte.space { position += 1 }
  }

  /// Skips the comma between two members, and the spaces and tabs around it.
  /// - Returns: False at the end.
  private mutating func skipComma() throws(StructuredFieldError) -> Bool {
    skipOptionalWhitespace()
    if isAtEnd { return false }
    guard skip(FieldByte.comma) else { throw malformed("a member has to be followed by a comma") }
    skipOptionalWhitespace()
    guard !isAtEnd else { throw malformed("a member has to follow the comma") }
    return true
  }

  private mutating func skipOptionalWhitespace() {
    while next == FieldByte.space || next == FieldByte.tab { position += 1 }
  }

  /// The bytes from `start` to the position.
  func bytes(from start: Int) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(rebasing: input[start..<position])
  }

  func text(from start: Int) -> String { String(decoding: bytes(from: start), as: UTF8.self) }

  @inline(never)
  func malformed(_ message: String) -> StructuredFieldError {
    StructuredFieldError(.malformed, message, offset: position)
  }
}

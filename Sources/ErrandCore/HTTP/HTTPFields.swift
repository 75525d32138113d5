/// The header fields of a request or a response. Names are compared without regard to case, the order is
/// preserved, and a name can have several values.
///
/// A request whose field has a name that is not a token, or a value with a control character (CR, LF, NUL),
/// fails when it is sent. So no header field can be injected.
public struct HTTPFields: Sendable, ExpressibleByDictionaryLiteral {
  /// One field line (RFC 9110, section 5.2).
  public struct Field: Sendable {
    /// The name, as it was written.
    public let name: String
    /// The value, with the spaces around it that it was made with.
    public let value: String
    let marks: FieldMarks

    /// True if the value must not be shown in a description, stored, or sent to another origin. It was marked
    /// as secret, or its name by convention marks a credential (`Authorization`, `Cookie`, `X-Api-Key`, names
    /// that end in `-Token` or `-Secret`).
    public var isSecret: Bool { marks.contains(.secret) }

    /// Makes a field line.
    /// - Parameter isSecret: True to mark the value as secret. Names of credentials mark it anyway. Default:
    ///   false.
    package init(_ name: String, _ value: String, isSecret: Bool = false) {
      self.name = name
      self.value = value
      marks = FieldMarks(name, value, isSecret: isSecret)
    }
  }

  private var fields: [Field] = []

  /// Makes an empty list of fields.
  public init() {}

  /// Makes fields from names and values, in order. A name may occur several times.
  public init(dictionaryLiteral elements: (String, String)...) {
    for (name, value) in elements { append(name, value) }
  }

  /// The value of `name`; several values are joined with a comma (RFC 9110, section 5.2). Nil if there is no
  /// such field. Setting a value replaces all values; setting nil removes them.
  public subscript(name: String) -> String? {
    get {
      var found: String?
      for field in fields where ASCII.equalIgnoringCase(field.name, name) {
        found = found.map { "\($0), \(field.value)" } ?? field.value
      }
      return found
    }
    set {
      if let newValue { set(name, newValue) } else { remove(name) }
    }
  }

  /// Returns the values of `name`, one for each field line, in order.
  public func values(of name: String) -> [String] {
    fields.filter { ASCII.equalIgnoringCase($0.name, name) }.map(\.value)
  }

  /// Calls `body` with the value of each field line of `name`, in order.
  package func forEachValue<Failure: Error>(
    of name: String, _ body: (String) throws(Failure) -> Void
  ) throws(Failure) {
    // Uses indices, because a loop over the fields copies each.
    for index in fields.indices where ASCII.equalIgnoringCase(fields[index].name, name) {
      try body(fields[index].value)
    }
  }

  /// Returns true if there is a field of this name, in any case.
  public func contains(_ name: String) -> Bool {
    fields.contains { ASCII.equalIgnoringCase($0.name, name) }
  }

  /// Adds a field line after the existing ones. Descriptions do not show a secret's value.
  public mutating func append(_ name: String, _ value: String, isSecret: Bool = false) {
    fields.append(Field(name, value, isSecret: isSecret))
  }

  package mutating func append(_ field: Field) { fields.append(field) }

  /// Replaces all field lines of `name` by one, at the position of the first. Without such lines, it adds
  /// one.
  public mutating func set(_ name: String, _ value: String, isSecret: Bool = false) {
    let field = Field(name, value, isSecret: isSecret)
    guard let first = fields.firstIndex(where: { ASCII.equalIgnoringCase($0.name, name) }) else {
      return fields.append(field)
    }
    fields[first] = field
    if let next = fields[(first + 1)...].firstIndex(where: { ASCII.equalIgnoringCase($0.name, name) }) {
      let rest = fields[next...].filter { !ASCII.equalIgnoringCase($0.name, name) }
      fields.replaceSubrange(next..., with: rest)
    }
  }

  /// Adds the field lines of `others` whose names are not present yet, one line for each name.
  package mutating func appendMissing(_ others: HTTPFields) {
    for field in others.fields where !contains(field.name) { fields.append(field) }
  }

  /// Removes all field lines of this name, in any case.
  public mutating func remove(_ name: String) {
    fields.removeAll { ASCII.equalIgnoringCase($0.name, name) }
  }

  package mutating func remove(where matches: (Field) -> Bool) {
    fields.removeAll(where: matches)
  }

  package mutating func reserveCapacity(_ count: Int) { fields.reserveCapacity(count) }

  /// Returns the fields, with those that `secrets` hides marked as secret.
  package func hiding(_ secrets: Secrets) -> HTTPFields { hiding(where: secrets.hides) }

  /// Returns the fields, with more of them marked as secret.
  package func hiding(where isSecret: (Field) -> Bool) -> HTTPFields {
    var marked = self
    marked.fields = fields.map { Field($0.name, $0.value, isSecret: $0.isSecret || isSecret($0)) }
    return marked
  }

  /// Returns true if both are the same bytes on the wire, with the same lines marked as secret.
  package func areWritten(as others: HTTPFields) -> Bool {
    guard fields.count == others.fields.count else { return false }
    // Most requests of a client share its fields, so comparing addresses is enough.
    if unsafe fields.withUnsafeBufferPointer({ own in
      unsafe others.fields.withUnsafeBufferPointer { unsafe own.baseAddress == $0.baseAddress }
    }) {
      return true
    }
    return fields.indices.allSatisfy { index in
      // Compares bytes, because equal strings can have different encodings.
      fields[index].marks == others.fields[index].marks
        && ASCII.areSame(fields[index].name, others.fields[index].name)
        && ASCII.areSame(fields[index].value, others.fields[index].value)
    }
  }

  /// Removes the spaces and tabs around values, which are not part of them (RFC 9110, section 5.5).
  mutating func trimValues() {
    // Few values have spaces around them, so most fields are not copied.
    guard fields.contains(where: { $0.marks.contains(.padded) }) else { return }
    for (index, field) in fields.enumerated() where field.marks.contains(.padded) {
      fields[index] = Field(field.name, ASCII.trimmed(field.value), isSecret: field.isSecret)
    }
  }
}

extension HTTPFields: RandomAccessCollection {
  /// The index of the first field line, 0.
  public var startIndex: Int { fields.startIndex }
  /// The number of field lines.
  public var endIndex: Int { fields.endIndex }
  /// Returns the field line at the position, in the order in which lines are sent.
  public subscript(position: Int) -> Field { fields[position] }
}

extension HTTPFields.Field: Hashable {
  public static func == (left: Self, right: Self) -> Bool {
    ASCII.areSame(left.value, right.value) && ASCII.equalIgnoringCase(left.name, right.name)
  }

  public func hash(into hasher: inout Hasher) {
    for byte in name.utf8 { hasher.combine(ASCII.lowered(byte)) }
    hasher.combine(bytesOf: value)
  }
}

extension HTTPFields: Hashable {
  public static func == (left: Self, right: Self) -> Bool { left.fields == right.fields }
  public func hash(into hasher: inout Hasher) { hasher.combine(fields) }
}

extension HTTPFields.Field: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  public var description: String {
    LogText.line("\(name): \(isSecret ? "***" : mayHoldURL ? Secrets.standard.redact(value) : value)")
  }
  public var debugDescription: String { description }
  /// A mirror that shows only the description, which hides secrets.
  public var customMirror: Mirror { Mirror(self, children: ["field": description]) }
}

extension HTTPFields: CustomStringConvertible {
  public var description: String { fields.map(\.description).joined(separator: "\n") }
}

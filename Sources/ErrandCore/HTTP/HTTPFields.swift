/// The header fields of a request or a response. Names are compared without regard to case, the order is
/// preserved, and one name can have several values.
///
/// A request with a name that is no token, or with a value that contains a control character (CR, LF, NUL),
/// fails with a clear error when it is sent, so that no header field can be injected.
public struct HTTPFields: Sendable, ExpressibleByDictionaryLiteral {
  /// One field line (RFC 9110, section 5.2).
  public struct Field: Sendable {
    public let name: String
    public let value: String
    let marks: FieldMarks

    /// True if the value must not be shown in any description, be stored or be sent to another origin: either
    /// it was marked as secret, or the name is one that credentials have by convention (`Authorization`,
    /// `Cookie`, `X-Api-Key`, names that end in `-Token` or `-Secret`).
    public var isSecret: Bool { marks.contains(.secret) }

    public init(_ name: String, _ value: String, isSecret: Bool = false) {
      self.name = name
      self.value = value
      marks = FieldMarks(name, value, isSecret: isSecret)
    }
  }

  private var fields: [Field] = []

  public init() {}

  public init(dictionaryLiteral elements: (String, String)...) {
    for (name, value) in elements { append(name, value) }
  }

  /// The value of `name`; several values are joined with a comma (RFC 9110, section 5.2). Setting replaces
  /// all of them; setting nil removes them.
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
    // By their numbers, because a loop over the fields copies each.
    for index in fields.indices where ASCII.equalIgnoringCase(fields[index].name, name) {
      try body(fields[index].value)
    }
  }

  public func contains(_ name: String) -> Bool {
    fields.contains { ASCII.equalIgnoringCase($0.name, name) }
  }

  /// Adds a field line after those of the same name. A secret's value appears in no description.
  public mutating func append(_ name: String, _ value: String, isSecret: Bool = false) {
    fields.append(Field(name, value, isSecret: isSecret))
  }

  package mutating func append(_ field: Field) { fields.append(field) }

  /// Replaces all field lines of `name` by one, in the place of the first.
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

  /// Adds the field lines of `others` whose names are not present yet, one for each name.
  mutating func appendMissing(_ others: HTTPFields) {
    for field in others.fields where !contains(field.name) { fields.append(field) }
  }

  public mutating func remove(_ name: String) {
    fields.removeAll { ASCII.equalIgnoringCase($0.name, name) }
  }

  package mutating func remove(where matches: (Field) -> Bool) {
    fields.removeAll(where: matches)
  }

  package mutating func reserveCapacity(_ count: Int) { fields.reserveCapacity(count) }

  /// Returns the same header fields, with those that `secrets` hides marked as secret.
  package func hiding(_ secrets: Secrets) -> HTTPFields {
    var marked = self
    marked.fields = fields.map { Field($0.name, $0.value, isSecret: secrets.hides($0)) }
    return marked
  }

  /// True if both are the same bytes on the wire, and the same of them are secret.
  package func areWritten(as others: HTTPFields) -> Bool {
    guard fields.count == others.fields.count else { return false }
    // Most requests of a client have its own fields, unchanged.
    if unsafe fields.withUnsafeBufferPointer({ own in
      unsafe others.fields.withUnsafeBufferPointer { unsafe own.baseAddress == $0.baseAddress }
    }) {
      return true
    }
    return fields.indices.allSatisfy { index in
      // By their bytes: texts can be equal that are encoded in two ways.
      fields[index].marks == others.fields[index].marks
        && ASCII.areSame(fields[index].name, others.fields[index].name)
        && ASCII.areSame(fields[index].value, others.fields[index].value)
    }
  }

  /// Removes the spaces and tabs around values: they are not part of the value (RFC 9110, section 5.5).
  mutating func trimValues() {
    // Few values have spaces around them; the others are not copied.
    guard fields.contains(where: { $0.marks.contains(.padded) }) else { return }
    for (index, field) in fields.enumerated() where field.marks.contains(.padded) {
      fields[index] = Field(field.name, ASCII.trimmed(field.value), isSecret: field.isSecret)
    }
  }
}

extension HTTPFields: RandomAccessCollection {
  public var startIndex: Int { fields.startIndex }
  public var endIndex: Int { fields.endIndex }
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
    "\(name): \(isSecret ? "***" : mayHoldURL ? Secrets.standard.redact(value) : value)"
  }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: ["field": description]) }
}

extension HTTPFields: CustomStringConvertible {
  public var description: String { fields.map(\.description).joined(separator: "\n") }
}

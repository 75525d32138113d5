public import Errand
public import HTTPTypes

extension HTTPTypes.HTTPFields {
  /// Makes the same fields: all lines in their order, with their names as they were written. A secret field is never
  /// indexed by HTTP/2 and HTTP/3 (`disallow`).
  ///
  /// Returns nil if a name is not a token, or a value has a control character: HTTPTypes would put a space in its place.
  /// Spaces around a value are not part of it, and are removed.
  public init?(_ fields: Errand.HTTPFields) {
    self.init()
    reserveCapacity(fields.count)
    for line in fields {
      var value = line.value[...]
      while let last = value.last, last == " " || last == "\t" { value.removeLast() }
      value = value.drop { $0 == " " || $0 == "\t" }
      guard let name = HTTPField.Name(line.name), HTTPField.isValidValue(String(value)) else { return nil }
      var field = HTTPField(name: name, value: String(value))
      if line.isSecret { field.indexingStrategy = .disallow }
      append(field)
    }
  }
}

extension Errand.HTTPFields {
  /// Makes the same fields: all lines in their order, with their names as they were written. A field that HTTP/2 must not
  /// index (`disallow`) is a secret.
  public init(_ fields: HTTPTypes.HTTPFields) {
    self.init()
    for field in fields {
      append(field.name.rawName, field.value, isSecret: field.indexingStrategy == .disallow)
    }
  }
}

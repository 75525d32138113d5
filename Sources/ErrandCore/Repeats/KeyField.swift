/// A header field that is part of a key: its name in lower case, its value byte for byte.
struct KeyField: Sendable, Hashable {
  let name: String
  let value: ExactBytes

  init(_ name: String, _ value: String) {
    self.name = ASCII.lowercased(name)
    self.value = ExactBytes(value)
  }

  /// Returns the header fields that are `wanted`, sorted by name so that the order of different names does
  /// not matter. Values of one name keep their order.
  static func choose(from fields: HTTPFields, where wanted: (HTTPFields.Field) -> Bool) -> [KeyField] {
    var chosen: [KeyField] = []
    for field in fields where wanted(field) { chosen.append(KeyField(field.name, field.value)) }
    if chosen.count > 1 { chosen.sort { $0.name < $1.name } }
    return chosen
  }
}

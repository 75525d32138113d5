/// A key that the application chose. Equal only to a value of its own type.
struct ChosenKey: Sendable, Hashable {
  let value: any Hashable & Sendable

  static func == (left: ChosenKey, right: ChosenKey) -> Bool { left.value.isTheSame(as: right.value) }

  func hash(into hasher: inout Hasher) { value.hash(into: &hasher) }
}

extension Hashable {
  fileprivate func isTheSame(as other: any Hashable) -> Bool { (other as? Self) == self }
}

extension ChosenKey: CustomStringConvertible {
  /// The value may be a secret, so only its type is shown.
  var description: String { "a chosen key (\(type(of: value)))" }
}

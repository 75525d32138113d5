/// A pair that was given as `name=value`.
struct NameAndValue: Sendable, Hashable {
  let name: String
  let value: String
}

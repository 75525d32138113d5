/// A key with a token that shows when the key is released.
struct GroupKey: Sendable, Hashable {
  let group: Int
  let token: LiveTokens.Token

  static func == (left: GroupKey, right: GroupKey) -> Bool { left.group == right.group }
  func hash(into hasher: inout Hasher) { hasher.combine(group) }
}

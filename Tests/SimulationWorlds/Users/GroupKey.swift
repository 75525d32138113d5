/// A key that tells when nobody holds on to it any more.
struct GroupKey: Sendable, Hashable {
  let group: Int
  let token: LiveTokens.Token

  static func == (left: GroupKey, right: GroupKey) -> Bool { left.group == right.group }
  func hash(into hasher: inout Hasher) { hasher.combine(group) }
}

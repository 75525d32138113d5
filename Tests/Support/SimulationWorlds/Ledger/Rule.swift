import ErrandCore

/// The rule for repeated requests. Two requests are the same if their groups are.
enum Rule: Sendable, Hashable {
  case ignoring(group: Int, within: Duration)
  case sharing(group: Int, SharingPolicy)
  case latest(group: Int)

  var isSharing: Bool { if case .sharing = self { true } else { false } }
  var isLatest: Bool { if case .latest = self { true } else { false } }
  var isIgnoring: Bool { if case .ignoring = self { true } else { false } }
}

extension Rule: CustomStringConvertible {
  var description: String {
    switch self {
    case .ignoring(let group, let interval): "ignoring repeats of \(group) for \(interval)"
    case .sharing(let group, let policy):
      "sharing \(group) for \(policy.window), failures \(policy.failures), if abandoned \(policy.whenAbandoned)"
    case .latest(let group): "latest of \(group)"
    }
  }
}

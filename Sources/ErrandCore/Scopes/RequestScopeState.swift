/// The members of one scope, and the scopes directly inside it. Members that have left are removed.
struct RequestScopeState<Member, Child> {
  typealias Place = Slab<Member>.Token
  typealias ChildPlace = Slab<Child>.Token

  private var members = Slab<Member>()
  private var children = Slab<Child>()
  /// The reason of the end; nil if the scope has not ended.
  private(set) var ending: CancellationReason?
  /// Called when the scope has ended permanently.
  private var whenEnded: [@Sendable () -> Void] = []
  /// The highest priority of the members; nil for no limit.
  var limit: Priority?

  var count: Int { members.count }
  /// The members, in no particular order.
  var all: [Member] { members.values }
  /// The scopes directly inside, in no particular order.
  var below: [Child] { children.values }

  /// Adds a member. Returns nil if the scope has ended.
  mutating func enter(_ member: Member) -> Place? {
    ending == nil ? members.insert(member) : nil
  }

  /// Removes and returns a member. Returns nil if it has already left.
  mutating func leave(_ place: Place) -> Member? { members.remove(place) }

  /// Removes and returns all members, newest first. A member that waits for another is newer, and has to be
  /// cancelled before it.
  mutating func takeAll() -> [Member] {
    defer { members.removeAll() }
    return members.newestFirst
  }

  /// Stores an action until the scope ends. Returns false if it has ended.
  mutating func keep(_ action: @escaping @Sendable () -> Void) -> Bool {
    guard ending == nil else { return false }
    whenEnded.append(action)
    return true
  }

  /// Removes and returns the stored actions.
  mutating func takeKept() -> [@Sendable () -> Void] {
    defer { whenEnded = [] }
    return whenEnded
  }

  /// Adds an inner scope. Returns nil if this scope has ended.
  mutating func adopt(_ child: Child) -> ChildPlace? {
    ending == nil ? children.insert(child) : nil
  }

  mutating func disown(_ place: ChildPlace) -> Child? { children.remove(place) }

  /// Closes the scope to new members. Returns the reason of the end, which is that of the first call.
  mutating func close(_ reason: CancellationReason) -> CancellationReason {
    let first = ending ?? reason
    ending = first
    return first
  }

  /// Removes the inner scopes, once all of them have ended.
  mutating func disownAll() -> [Child] {
    defer { children.removeAll() }
    return children.values
  }
}

/// The members of one scope, and the scopes directly below it. Members that have left are forgotten.
struct RequestScopeState<Member, Child> {
  typealias Place = Slab<Member>.Token
  typealias ChildPlace = Slab<Child>.Token

  private var members = Slab<Member>()
  private var children = Slab<Child>()
  /// The reason of the end, if the scope has ended.
  private(set) var ending: CancellationReason?
  /// Called when the scope has ended for ever.
  private var whenEnded: [@Sendable () -> Void] = []
  /// The highest priority of the members; nil for no limit.
  var limit: Priority?

  var count: Int { members.count }
  /// The members, in no particular order.
  var all: [Member] { members.values }
  /// The scopes directly below, in no particular order.
  var below: [Child] { children.values }

  /// Adds a member; returns nil if the scope has ended.
  mutating func enter(_ member: Member) -> Place? {
    ending == nil ? members.insert(member) : nil
  }

  /// Removes and returns a member; nil if it is not there any more.
  // Returned so that the caller releases it outside the lock.
  mutating func leave(_ place: Place) -> Member? { members.remove(place) }

  /// Removes and returns all members, newest first: a member that waits for another came after it, and has to
  /// be cancelled before it.
  mutating func takeAll() -> [Member] {
    defer { members.removeAll() }
    return members.newestFirst
  }

  /// Keeps an action until the scope ends. Returns false if it has ended.
  mutating func keep(_ action: @escaping @Sendable () -> Void) -> Bool {
    guard ending == nil else { return false }
    whenEnded.append(action)
    return true
  }

  /// Removes and returns the actions that were kept.
  mutating func takeKept() -> [@Sendable () -> Void] {
    defer { whenEnded = [] }
    return whenEnded
  }

  /// Adds a scope below; returns nil if this scope has ended.
  mutating func adopt(_ child: Child) -> ChildPlace? {
    ending == nil ? children.insert(child) : nil
  }

  mutating func disown(_ place: ChildPlace) -> Child? { children.remove(place) }

  /// Accepts no more members. Returns the reason of the end, which is that of the first call.
  mutating func close(_ reason: CancellationReason) -> CancellationReason {
    let first = ending ?? reason
    ending = first
    return first
  }

  /// Removes the scopes below, once all of them have ended.
  mutating func disownAll() -> [Child] {
    defer { children.removeAll() }
    return children.values
  }
}

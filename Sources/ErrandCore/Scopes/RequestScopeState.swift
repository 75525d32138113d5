/// What is in one scope, and the scopes right below it. Nothing is kept of what has left.
struct RequestScopeState<Member, Child> {
  typealias Place = Slab<Member>.Token
  typealias ChildPlace = Slab<Child>.Token

  private var members = Slab<Member>()
  private var children = Slab<Child>()
  /// Why it ended, if it has.
  private(set) var ending: CancellationReason?

  var count: Int { members.count }
  /// The scopes right below, in no particular order.
  var below: [Child] { children.values }

  /// Nil if the scope has ended.
  mutating func enter(_ member: Member) -> Place? {
    ending == nil ? members.insert(member) : nil
  }

  /// What was there, or nil if it has left or was taken out.
  // It is given back so that whoever holds the lock lets go of it outside.
  mutating func leave(_ place: Place) -> Member? { members.remove(place) }

  /// Everything that is in it, and it is empty. Newest first: who waits for another came after that, and has to be called
  /// off before that ends.
  mutating func takeAll() -> [Member] {
    defer { members.removeAll() }
    return members.newestFirst
  }

  /// Nil if the scope has ended.
  mutating func adopt(_ child: Child) -> ChildPlace? {
    ending == nil ? children.insert(child) : nil
  }

  mutating func disown(_ place: ChildPlace) -> Child? { children.remove(place) }

  /// Takes nothing more in. The first reason counts, and is returned.
  mutating func close(_ reason: CancellationReason) -> CancellationReason {
    let first = ending ?? reason
    ending = first
    return first
  }

  /// Lets go of the scopes below, once all of them have ended.
  mutating func disownAll() -> [Child] {
    defer { children.removeAll() }
    return children.values
  }
}

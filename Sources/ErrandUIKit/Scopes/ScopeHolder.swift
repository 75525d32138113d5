import ErrandCore

/// Holds the scope of one view or controller, and ends it when that leaves its place. It is stored with the owner and
/// released with it, which ends the scope, too.
///
/// A scope *lies in* that of what its owner is in. This is looked up whenever it matters, and not fixed once: a view
/// may be moved to another controller, and its requests go with it.
@MainActor final class ScopeHolder {
  private static var lastID = 0

  /// Identifies the holder among all of the process, also after its end.
  let id: Int
  private(set) weak var owner: (any ScopeOwner)?
  private var state = AttachmentState()
  private var life: ScopeLife
  /// The life of the container that the scope lies in.
  private weak var home: ScopeLife?
  /// What the owner is used for, if it is used again and again.
  private var use: AnyHashable?
  /// Called after each look, and when something new lies in this scope; by what follows it.
  var onLook: [ObjectIdentifier: @MainActor () -> Void] = [:]

  private init(_ owner: any ScopeOwner) {
    Self.lastID += 1
    id = Self.lastID
    self.owner = owner
    life = ScopeLife(owner)
  }

  /// Returns the owner's holder, which is made once.
  static func of(_ owner: any ScopeOwner) -> ScopeHolder {
    if let holder = owner.scopeHolder { return holder }
    let holder = ScopeHolder(owner)
    owner.scopeHolder = holder
    holder.look()
    return holder
  }

  /// The present scope, after a look at where the owner is.
  var scope: RequestScope {
    look()
    // A cell is asked before it is in its table.
    if let owner, owner.scopeContainer == nil { Task { [weak self] in self?.look() } }
    return life.scope
  }

  /// True if the scope has ended.
  var isCancelled: Bool { life.scope.isCancelled }

  /// Looks where the owner is, and ends or renews its scope if it has left its place or come to one.
  /// - Parameter isSettled: False in the middle of a move.
  func look(isSettled: Bool = true) {
    guard let owner else { return }
    let container = owner.scopeContainer.map(ScopeHolder.of)
    let isAttached: Bool
    if owner.endsWhenDetached {
      isAttached = owner.isAttached
    } else {
      // Without a container, a view waits for the next one: its requests go on meanwhile.
      isAttached = container.map { !$0.isCancelled } ?? false
      if !isAttached { return }
    }
    switch state.look(isAttached: isAttached, isSettled: isSettled) {
    case .end: life.scope.end()
    case .renew: life = ScopeLife(owner)
    case nil: break
    }
    if isAttached, let container { lie(in: container) }
    // A view that is being emptied would be emptied for ever.
    if isSettled { owner.watchWindow() }
    for notify in onLook.values { notify() }
  }

  private func lie(in container: ScopeHolder) {
    guard home !== container.life else { return }
    home?.lodgers.remove(self)
    home = container.life
    container.life.lodgers.add(self)
    for notify in container.onLook.values { notify() }
  }

  /// Takes note that the owner has entered or left a window.
  func moved() {
    look(isSettled: false)
    // Only after the call that moves it, the platform knows what it is in.
    Task { [weak self] in self?.lookAround() }
  }

  /// Looks where the owner is, and where others are that were in the same container, or in it: a page that is popped
  /// together with the visible one, or from below it, does not leave a window. Their neighbours are watched, too: of pages
  /// of which one has requests, the others tell when they come and go.
  private func lookAround() {
    let place = home?.lodgers
    look()
    place?.look()
    life.lodgers.look()
    for page in owner?.scopeContainer?.pages ?? [] { _ = ScopeHolder.of(page) }
  }

  /// Ends the scope: its page has ended. It gets a new one when the owner is shown again.
  func leave() {
    state.leave()
    life.scope.end()
  }

  /// Begins another use of an owner that is used again and again, such as a cell: ends the requests of the last use.
  func beginUse(_ use: AnyHashable) {
    guard use != self.use else { return }
    let isFirst = self.use == nil
    self.use = use
    guard !isFirst, let owner else { return }
    life.scope.end()
    life = ScopeLife(owner)
  }

  /// Ends the requests of the present use.
  func endUse() {
    guard let owner else { return }
    use = nil
    life.scope.end()
    life = ScopeLife(owner)
  }

  /// Takes note that the scope that this one lies in has ended: ends it, or goes on where the owner is now.
  fileprivate func homeEnded(_ ended: ScopeLife?) {
    guard let owner else { return }
    let container = owner.scopeContainer.map(ScopeHolder.of)
    if let container, container.life === ended { return leave() }
    guard home == nil || home === ended else { return }
    if let container, !container.isCancelled { lie(in: container) } else { leave() }
  }

  /// A scope from its beginning to its end.
  @MainActor fileprivate final class ScopeLife: Sendable {
    let scope: RequestScope
    let lodgers: Lodgers

    init(_ owner: any ScopeOwner) {
      scope = RequestScope(owner.scopeName)
      lodgers = Lodgers(owner)
      scope.whenEnded { [weak self, lodgers] in onMainActor { lodgers.end(self) } }
    }

    deinit { scope.end() }
  }

  /// The scopes that lie in another. It outlives the holder, so that they are told of its end.
  @MainActor fileprivate final class Lodgers: Sendable {
    private weak var owner: (any ScopeOwner)?
    private var holders: [ObjectIdentifier: WeakHolder] = [:]

    init(_ owner: any ScopeOwner) { self.owner = owner }

    func add(_ holder: ScopeHolder) { holders[ObjectIdentifier(holder)] = WeakHolder(holder: holder) }
    func remove(_ holder: ScopeHolder) { holders[ObjectIdentifier(holder)] = nil }

    func look() { for holder in holders.values.compactMap(\.holder) { holder.look() } }

    func end(_ life: ScopeLife?) {
      let inside = owner?.scopesInside.map(ScopeHolder.of) ?? []
      let present = holders.values.compactMap(\.holder)
      holders = [:]
      for holder in present + inside { holder.homeEnded(life) }
    }
  }

  private struct WeakHolder {
    weak var holder: ScopeHolder?
  }
}

import ErrandCore

/// Holds the scope of one view or controller, and ends it when its owner leaves its place. It is stored with
/// the owner, and the scope also ends when both are released.
///
/// A scope *lies in* the scope of the owner's container. The container is looked up at each use, because a
/// view may be moved to another controller, and its requests move with it.
@MainActor final class ScopeHolder {
  private static var lastID = 0

  /// Identifies the holder in this process, even after its end.
  let id: Int
  private(set) weak var owner: (any ScopeOwner)?
  private var state = AttachmentState()
  private var life: ScopeLife
  /// The life of the container that the scope lies in.
  private weak var home: ScopeLife?
  /// The item that the owner shows, if the owner is reused.
  private var use: AnyHashable?
  /// Called after each check, and when another scope is added to this one. Followers of the owner add their handlers.
  var onLook: [ObjectIdentifier: @MainActor () -> Void] = [:]

  private init(_ owner: any ScopeOwner) {
    Self.lastID += 1
    id = Self.lastID
    self.owner = owner
    life = ScopeLife(owner)
  }

  /// Returns the owner's holder, and makes it on the first call.
  static func of(_ owner: any ScopeOwner) -> ScopeHolder {
    if let holder = owner.scopeHolder { return holder }
    let holder = ScopeHolder(owner)
    owner.scopeHolder = holder
    holder.look()
    return holder
  }

  /// The current scope, after a check of the owner's place.
  var scope: RequestScope {
    look()
    // A cell's requests may be read before the cell is in its table.
    if let owner, owner.scopeContainer == nil { Task { [weak self] in self?.look() } }
    return life.scope
  }

  /// True if the scope has ended.
  var isCancelled: Bool { life.scope.isCancelled }

  /// Checks the owner's place. Ends the scope if the owner has left its place, and renews it if the owner has
  /// a place again.
  /// - Parameter isSettled: False during a move.
  func look(isSettled: Bool = true) {
    guard let owner else { return }
    let container = owner.scopeContainer.map(ScopeHolder.of)
    let isAttached: Bool
    if owner.endsWhenDetached {
      isAttached = owner.isAttached
    } else {
      // A view without a container waits for the next one. Its requests continue meanwhile.
      isAttached = container.map { !$0.isCancelled } ?? false
      if !isAttached { return }
    }
    switch state.look(isAttached: isAttached, isSettled: isSettled) {
    case .end: life.scope.end()
    case .renew: life = ScopeLife(owner)
    case nil: break
    }
    if isAttached, let container { lie(in: container) }
    // Removing all subviews of a view would never end if a sentinel were added meanwhile.
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

  /// Records that the owner has entered or left a window.
  func moved() {
    look(isSettled: false)
    // UIKit and AppKit know the owner's new place only after the call that moves it.
    Task { [weak self] in self?.lookAround() }
  }

  /// Checks the places of the owner, and of the owners in the same container or inside this one. A page that
  /// is popped together with the visible page, or from below it, does not leave a window, so it is checked
  /// here. The pages beside the owner get holders, so that they report their movements, even if only one page
  /// has requests.
  private func lookAround() {
    let place = home?.lodgers
    look()
    place?.look()
    life.lodgers.look()
    for page in owner?.scopeContainer?.pages ?? [] { _ = ScopeHolder.of(page) }
  }

  /// Ends the scope, because its page has ended. The owner gets a new scope when it is shown again.
  func leave() {
    state.leave()
    life.scope.end()
  }

  /// Begins another use of a reused owner, such as a cell, and ends the requests of the last use.
  func beginUse(_ use: AnyHashable) {
    guard use != self.use else { return }
    let isFirst = self.use == nil
    self.use = use
    guard !isFirst, let owner else { return }
    life.scope.end()
    life = ScopeLife(owner)
  }

  /// Ends the requests of the current use.
  func endUse() {
    guard let owner else { return }
    use = nil
    life.scope.end()
    life = ScopeLife(owner)
  }

  /// Handles the end of the scope that contains this one. Ends this scope, or moves it to the owner's current
  /// container.
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

  /// The scopes that lie in another scope. It outlives the holder, to inform them of the holder's end.
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

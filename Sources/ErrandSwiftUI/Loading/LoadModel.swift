import ErrandCore

/// What one view shows: the entry of its present key, and the value of the last one until the new one's is here.
@MainActor final class LoadModel<Value: Sendable> {
  private var use: LoadUse<Value>?
  private var last: Value?
  private var hasStore = true
  /// True while the view is away, in which it may be given another key.
  private var isAway = false

  nonisolated init() {}

  var shown: Loading<Value> {
    guard hasStore else { return Loading(value: last, error: LoadStoreMissing()) }
    guard var shown = use?.entry.shown else { return Loading(isRefreshing: true) }
    if shown.value == nil { shown.value = last }
    return shown
  }

  /// Shows what is under this key from now on.
  func show(_ key: AnyHashable, in store: LoadStore?, _ work: @escaping LoadEntry<Value>.Work) {
    hasStore = store != nil
    guard let store else { return }
    if let use, use.key == key, use.store === store { return }
    LoadUsers.last += 1
    last = use?.entry.shown.value ?? last
    use?.replace()
    use = LoadUse(
      key: key, store: store, user: LoadUsers.last, entry: store.entry(of: key, work), isAway: isAway)
  }

  func appear() {
    isAway = false
    use?.appear()
  }

  func disappear() {
    isAway = true
    use?.disappear()
  }

  func refresh() async { await use?.entry.refresh() }
}

/// Numbers the views that show something.
@MainActor private enum LoadUsers {
  static var last = 0
}

/// A view's use of an entry, which ends when it is released.
@MainActor private final class LoadUse<Value: Sendable> {
  let key: AnyHashable
  let store: LoadStore
  let user: Int
  let entry: LoadEntry<Value>
  private var isKnown = false

  init(key: AnyHashable, store: LoadStore, user: Int, entry: LoadEntry<Value>, isAway: Bool) {
    self.key = key
    self.store = store
    self.user = user
    self.entry = entry
    isKnown = isAway
    // Not at once: what a view shows must not change while it is being made. By then it may be gone again.
    Task { [weak self] in
      guard let self, !isKnown else { return }
      appear()
    }
  }

  deinit { Task { @MainActor [entry, user] in entry.disappear(user, isFinal: false) } }

  func appear() {
    isKnown = true
    entry.appear(user)
  }

  func disappear() {
    isKnown = true
    entry.disappear(user, isFinal: false)
  }

  /// Ends the use because the view shows something else.
  func replace() {
    Task { [entry, user] in entry.disappear(user, isFinal: true) }
  }
}

/// The environment has no `LoadStore`.
struct LoadStoreMissing: Error, CustomStringConvertible {
  var description: String {
    "there is no LoadStore to load with: put one into the environment at the root, with .errand(LoadStore(client))"
  }
}

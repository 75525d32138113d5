import ErrandCore

/// The state that one view shows: the entry of its current key, or the last key's value until the new value arrives.
@MainActor final class LoadModel<Value: Sendable> {
  private var use: LoadUse<Value>?
  private var last: Value?
  private var hasStore = true
  /// True while the view is not visible. It may get another key meanwhile.
  private var isAway = false

  nonisolated init() {}

  var shown: Loading<Value> {
    guard hasStore else { return Loading(value: last, error: LoadStoreMissing()) }
    guard var shown = use?.entry.shown else { return Loading(isRefreshing: true) }
    if shown.value == nil { shown.value = last }
    return shown
  }

  /// Shows the value of this key from now on.
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
    // This is delayed, because a view's state must not change while SwiftUI makes the view. The view may be
    // gone by then.
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

  /// Ends the use, because the view shows another key.
  func replace() {
    Task { [entry, user] in entry.disappear(user, isFinal: true) }
  }
}

/// The environment has no `LoadStore`.
struct LoadStoreMissing: Error, CustomStringConvertible {
  var description: String {
    "the environment has no LoadStore: put one into the environment at the root, with .errand(LoadStore(client))"
  }
}

#if canImport(SwiftUI)
  public import ErrandCore
  public import SwiftUI

  /// Loads a value for a view: when the view is made, when its request or key changes (the newest wins), when
  /// it is refreshed, and when the network is back after a failure. Views with the same key share one request
  /// and one value.
  ///
  /// ```swift
  /// struct Feed: View {
  ///   @Loaded(.get("https://example.com/feed")) private var posts: Loading<[Post]>
  ///
  ///   var body: some View {
  ///     List(posts.value ?? []) { post in Text(post.title) }
  ///       .loads($posts)
  ///   }
  /// }
  /// ```
  ///
  /// The old value stays while the new one is loading, and when that fails. A cancellation is not an error.
  /// The environment needs a `LoadStore`: `.errand(store)`. Without one, `error` says so.
  @MainActor @propertyWrapper public struct Loaded<Value: Sendable>: DynamicProperty {
    @State private var model = LoadModel<Value>()
    @Environment(\.errand) private var store
    private let key: any Hashable & Sendable
    private let work: LoadEntry<Value>.Work

    /// Loads a value with a closure.
    /// - Parameters:
    ///   - key: The key. Views with an equal key and the same type of value share one value.
    ///   - load: Loads the value. The requests that it sends in the scope end with the scope, and when no
    ///     view shows the value any more.
    public nonisolated init(
      _ key: some Hashable & Sendable, load: @escaping @Sendable (Client, RequestScope) async throws -> Value
    ) {
      self.key = ExactBytes.key(key)
      work = load
    }

    /// Loads the JSON of a request's response. The key consists of the request's method, URL, header fields,
    /// body, `unauthenticated()`, `unsigned()` and signers. Other options are not part of it.
    public nonisolated init(_ request: Request, as type: Value.Type = Value.self) where Value: Decodable {
      var key = request
      // The options contain closures, which differ each time the view is made.
      key.options = RequestOptions()
      self.init(LoadKey(request: key, identity: request.options.textOfIdentity)) { client, scope in
        try await client.send(request.priority(.userInitiated), in: scope).decode(Value.self)
      }
    }

    /// The value, its error, and whether a request is in progress.
    public var wrappedValue: Loading<Value> { model.shown }

    /// The control that refreshes the value: `.refreshable { await $posts.refresh() }`, or `.loads($posts)`.
    public var projectedValue: LoadControl { LoadControl(model) }

    /// Connects the wrapper with the store in the environment. SwiftUI calls it before it reads the view's body.
    public nonisolated mutating func update() {
      let copy = self
      MainActor.assumeIsolated {
        copy.model.show(AnyHashable(copy.key), in: copy.store, copy.work)
      }
    }

    private nonisolated struct LoadKey: Hashable, Sendable {
      let request: Request
      let identity: String
    }
  }

  /// Refreshes the value of `@Loaded`.
  @MainActor public struct LoadControl {
    /// Loads again, unless a request is in progress. Returns when the request has ended.
    public let refresh: @MainActor @Sendable () async -> Void
    let appear: @MainActor @Sendable () -> Void
    let disappear: @MainActor @Sendable () -> Void

    init<Value>(_ model: LoadModel<Value>) {
      refresh = { await model.refresh() }
      appear = { model.appear() }
      disappear = { model.disappear() }
    }
  }

  extension View {
    /// Loads again when this view appears again, and when the user pulls to refresh. While the view is away,
    /// its request is sent after those of visible views, and then cancelled.
    public func loads(_ control: LoadControl) -> some View {
      onAppear(perform: control.appear)
        .onDisappear(perform: control.disappear)
        .refreshable(action: control.refresh)
    }
  }
#endif

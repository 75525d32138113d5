#if canImport(SwiftUI)
  public import ErrandCore
  public import SwiftUI

  /// Loads a value for a view: when the view is made, when its request or key changes (the newest wins), when it is
  /// refreshed, and when the network is back after a failure. The same key in several views is one request, and one value.
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
  /// The old value stays while the new one comes, and when it fails; a cancellation is no error. The environment has to
  /// have a `LoadStore`: `.errand(store)`; without one, the error says so.
  @MainActor @propertyWrapper public struct Loaded<Value: Sendable>: DynamicProperty {
    @State private var model = LoadModel<Value>()
    @Environment(\.errand) private var store
    private let key: Key
    private let work: LoadEntry<Value>.Work

    /// - Parameters:
    ///   - key: What makes two loads the same, besides the type of their values.
    ///   - load: Loads the value. Requests that it sends in the scope end with it, and when no view shows the value any
    ///     more.
    public nonisolated init(
      _ key: some Hashable & Sendable, load: @escaping @Sendable (Client, RequestScope) async throws -> Value
    ) {
      self.key = Key(key)
      work = load
    }

    /// Loads the JSON of a request's response. Its key is what the request asks for, and for whom: method, URL, header
    /// fields, body, `unauthenticated()`, `unsigned()` and signers, whatever its other options.
    public nonisolated init(_ request: Request, as type: Value.Type = Value.self) where Value: Decodable {
      var key = request
      // A check is a closure, which is another one each time the view is made.
      key.options = RequestOptions()
      self.init(LoadKey(request: key, identity: request.options.textOfIdentity)) { client, scope in
        try await client.send(request.priority(.userInitiated), in: scope).decode(Value.self)
      }
    }

    public var wrappedValue: Loading<Value> { model.shown }

    /// Refreshes the value: `.refreshable { await $posts.refresh() }`, or `.loads($posts)`.
    public var projectedValue: LoadControl { LoadControl(model) }

    public nonisolated mutating func update() {
      let copy = self
      MainActor.assumeIsolated {
        copy.model.show(copy.key.value, in: copy.store, copy.work)
      }
    }

    private nonisolated struct LoadKey: Hashable, Sendable {
      let request: Request
      let identity: String
    }

    /// A key, whatever its type.
    private nonisolated struct Key: @unchecked Sendable {
      // Made of a value that is Sendable.
      let value: AnyHashable

      init(_ key: some Hashable & Sendable) { value = AnyHashable(ExactBytes.key(key)) }
    }
  }

  /// Refreshes what `@Loaded` shows.
  @MainActor public struct LoadControl {
    /// Loads again, unless a request is under way, and returns when it has ended.
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
    /// Loads again when this view appears again, and when it is pulled; while it is away, its request is put behind those
    /// of visible views, and then cancelled.
    public func loads(_ control: LoadControl) -> some View {
      onAppear(perform: control.appear)
        .onDisappear(perform: control.disappear)
        .refreshable(action: control.refresh)
    }
  }
#endif

#if canImport(SwiftUI)
  public import ErrandCore
  public import SwiftUI

  extension EnvironmentValues {
    /// The store that loads the values of `@Loaded`; nil if no view above has set one.
    public var errand: LoadStore? {
      get { self[LoadStoreKey.self] }
      set { self[LoadStoreKey.self] = newValue }
    }

    /// The requests of the nearest view with `.requests(_:)`. Without such a view, a scope that does not end.
    public var requests: RequestScope {
      get { self[RequestsKey.self] }
      set { self[RequestsKey.self] = newValue }
    }
  }

  private struct LoadStoreKey: EnvironmentKey {
    static let defaultValue: LoadStore? = nil
  }

  private struct RequestsKey: EnvironmentKey {
    static let defaultValue = RequestScope("app")
  }

  extension View {
    /// Makes the views in this one load with this store. Use it at the root: `ContentView().errand(store)`.
    public func errand(_ store: LoadStore) -> some View { environment(\.errand, store) }
  }
#endif

#if canImport(SwiftUI)
  public import ErrandCore
  public import SwiftUI

  extension EnvironmentValues {
    /// What loads for `@Loaded`, and its client; nil for none.
    public var errand: LoadStore? {
      get { self[LoadStoreKey.self] }
      set { self[LoadStoreKey.self] = newValue }
    }

    /// The requests of the nearest view with `.requests(_:)`; without one, a scope that does not end.
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
    /// Lets the views in this one load with this store: at the root, `ContentView().errand(store)`.
    public func errand(_ store: LoadStore) -> some View { environment(\.errand, store) }
  }
#endif

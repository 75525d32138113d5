#if canImport(SwiftUI)
  public import ErrandCore
  public import SwiftUI

  extension View {
    /// Responds to all requests of the views in this one without a network, for previews and tests.
    ///
    /// ```swift
    /// #Preview {
    ///   Feed().errandStub { request in try .json([Post(title: "Hello")], for: request) }
    /// }
    /// ```
    /// - Parameter respond: Returns the response to a request. An error that it throws becomes the request's error.
    public func errandStub(
      _ respond: @escaping @Sendable (Request) async throws -> Response
    ) -> some View {
      modifier(StubModifier(respond))
    }
  }

  private struct StubModifier: ViewModifier {
    @State private var store: LoadStore

    init(_ respond: @escaping @Sendable (Request) async throws -> Response) {
      _store = State(initialValue: LoadStore(Client(respondingBy: respond), reachability: nil))
    }

    func body(content: Content) -> some View { content.errand(store) }
  }
#endif

#if canImport(SwiftUI)
  import ErrandCore
  public import SwiftUI

  extension View {
    /// Ends these requests when the view has disappeared for longer than their grace. During the grace, they
    /// are sent after those of visible views. The views in this one get the scope as
    /// `@Environment(\.requests)`. It lies in the scope of the views around this one.
    public func requests(_ requests: ViewRequests) -> some View {
      modifier(RequestsModifier(requests: requests))
    }

    /// Gives the views in this one a scope that ends when this view disappears: `@Environment(\.requests)`.
    /// It lies in the scope of the views around this one.
    /// - Parameters:
    ///   - name: The name of the scope.
    ///   - grace: The time for which the view may be away before its requests are cancelled. Default: 0.3 s.
    public func requests(_ name: String, grace: Duration = .milliseconds(300)) -> some View {
      modifier(OwnRequestsModifier(name: name, grace: grace))
    }
  }

  private struct RequestsModifier: ViewModifier {
    let requests: ViewRequests
    @Environment(\.requests) private var outer

    func body(content: Content) -> some View {
      let _ = requests.lie(in: outer)
      content
        .environment(\.requests, requests.scope)
        .onAppear { requests.appear() }
        .onDisappear { requests.disappear() }
    }
  }

  private struct OwnRequestsModifier: ViewModifier {
    @State private var requests: ViewRequests

    init(name: String, grace: Duration) { _requests = State(initialValue: ViewRequests(name, grace: grace)) }

    func body(content: Content) -> some View { content.requests(requests) }
  }
#endif

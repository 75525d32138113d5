// The declarations of SwiftUI that this package uses, as Apple declares them, on a simple runtime: `Host`
// evaluates views and keeps their state. It has no layout and no screen.

@_exported public import Foundation
@_exported public import Observation

@MainActor @preconcurrency public protocol View {
  associatedtype Body: View
  @ViewBuilder var body: Body { get }
}

extension Never: View {
  public var body: Never { fatalError("a part without a body") }
}

/// A view without a body, which the host knows.
@MainActor protocol Part {
  func evaluate(_ host: Host, _ path: String, _ environment: EnvironmentValues)
}

@MainActor @resultBuilder public enum ViewBuilder {
  public static func buildBlock() -> EmptyView { EmptyView() }
  public static func buildBlock<Content: View>(_ content: Content) -> Content { content }
  public static func buildBlock<each Content: View>(_ content: repeat each Content) -> TupleView<
    (repeat each Content)
  > {
    var parts: [any View] = []
    repeat parts.append(each content)
    return TupleView(parts: parts)
  }
  public static func buildIf<Content: View>(_ content: Content?) -> Content? { content }
  public static func buildEither<A: View, B: View>(first: A) -> _ConditionalContent<A, B> { .first(first) }
  public static func buildEither<A: View, B: View>(second: B) -> _ConditionalContent<A, B> { .second(second) }
}

public struct EmptyView: View, Part {
  public init() {}
  public var body: Never { fatalError() }
  func evaluate(_ host: Host, _ path: String, _ environment: EnvironmentValues) {}
}

public struct TupleView<Content>: View, Part {
  let parts: [any View]
  public var body: Never { fatalError() }

  func evaluate(_ host: Host, _ path: String, _ environment: EnvironmentValues) {
    for (index, part) in parts.enumerated() { host.evaluate(part, "\(path)/\(index)", environment) }
  }
}

// swift-format-ignore: NoLeadingUnderscores
public enum _ConditionalContent<A: View, B: View>: View, Part {
  case first(A)
  case second(B)
  public var body: Never { fatalError() }

  func evaluate(_ host: Host, _ path: String, _ environment: EnvironmentValues) {
    switch self {
    case .first(let view): host.evaluate(view, "\(path)/first", environment)
    case .second(let view): host.evaluate(view, "\(path)/second", environment)
    }
  }
}

extension Optional: View where Wrapped: View {
  public var body: Never { fatalError() }
}

extension Optional: Part where Wrapped: View {
  func evaluate(_ host: Host, _ path: String, _ environment: EnvironmentValues) {
    if let self { host.evaluate(self, "\(path)/some", environment) }
  }
}

// MARK: Modifiers

@MainActor @preconcurrency public protocol ViewModifier {
  associatedtype Body: View
  typealias Content = AnyContent
  @ViewBuilder func body(content: Content) -> Body
}

/// The view to which a modifier is applied.
public struct AnyContent: View, Part {
  let view: any View
  public var body: Never { fatalError() }

  func evaluate(_ host: Host, _ path: String, _ environment: EnvironmentValues) {
    host.evaluate(view, "\(path)/content", environment)
  }
}

struct Modified<Content: View, Modifier: ViewModifier>: View, Part {
  let content: Content
  let modifier: Modifier
  var body: Never { fatalError() }

  func evaluate(_ host: Host, _ path: String, _ environment: EnvironmentValues) {
    host.evaluateBody(of: modifier, path, environment) { modifier.body(content: AnyContent(view: content)) }
  }
}

/// A view with an action that the host runs when it evaluates the view.
struct Attended<Content: View>: View, Part {
  let content: Content
  let name: String
  let attend: @MainActor (Host, String, inout EnvironmentValues) -> Void
  var body: Never { fatalError() }

  func evaluate(_ host: Host, _ path: String, _ environment: EnvironmentValues) {
    var environment = environment
    attend(host, path, &environment)
    host.evaluate(content, "\(path)/\(name)", environment)
  }
}

extension View {
  public func modifier(_ modifier: some ViewModifier) -> some View {
    Modified(content: self, modifier: modifier)
  }

  func attended(
    _ name: String, _ attend: @escaping @MainActor (Host, String, inout EnvironmentValues) -> Void
  ) -> some View {
    Attended(content: self, name: name, attend: attend)
  }

  public func environment<Value>(
    _ keyPath: WritableKeyPath<EnvironmentValues, Value>, _ value: Value
  ) -> some View {
    attended("environment") { _, _, environment in environment[keyPath: keyPath] = value }
  }

  public func onAppear(perform action: (() -> Void)? = nil) -> some View {
    attended("appear") { host, path, _ in host.node(path).onAppear = action }
  }

  public func onDisappear(perform action: (() -> Void)? = nil) -> some View {
    attended("disappear") { host, path, _ in host.node(path).onDisappear = action }
  }

  public func refreshable(action: @escaping @Sendable () async -> Void) -> some View {
    attended("refreshable") { host, _, _ in host.refresh = action }
  }

  public func onChange<Value: Equatable>(
    of value: Value, initial: Bool = false, _ action: @escaping (_ oldValue: Value, _ newValue: Value) -> Void
  ) -> some View {
    attended("change") { host, path, _ in
      let node = host.node(path)
      let old = node.value as? Value
      node.value = value
      if old != value, initial || old != nil { host.later { action(old ?? value, value) } }
    }
  }

  public func task(
    priority: TaskPriority = .userInitiated,
    @_inheritActorContext _ action: @escaping @Sendable () async -> Void
  ) -> some View {
    attended("task") { host, path, _ in
      let node = host.node(path)
      node.onAppear = { node.value = Task(priority: priority) { await action() } }
      node.onDisappear = { (node.value as? Task<Void, Never>)?.cancel() }
    }
  }

  public func allowsHitTesting(_ enabled: Bool) -> some View {
    attended("hits") { host, _, _ in if !enabled { host.isBlocked = true } }
  }

  public func animation<Value: Equatable>(_ animation: Animation?, value: Value) -> some View {
    attended("animation") { host, _, _ in host.isAnimated = animation != nil }
  }

  public func overlay(@ViewBuilder content: () -> some View) -> some View {
    TupleView<Self>(parts: [self, content()])
  }

  public func navigationTitle(_ title: String) -> some View { self }
}

public struct Animation: Equatable, Sendable {
  public static let `default` = Animation()
}

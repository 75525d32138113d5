/// Not part of SwiftUI: shows a view, and lets a test read its texts, tap its buttons, pull it, and remove
/// it.
@MainActor public final class Host {
  /// The state of a view that is kept from one evaluation to the next.
  final class Node {
    var type: Any.Type = Never.self
    var slots: [String: AnyObject] = [:]
    var value: Any?
    var onAppear: (() -> Void)?
    var onDisappear: (() -> Void)?
    var hasAppeared = false
    var isVisited = false
  }

  public internal(set) static var announcements: [String] = []

  public internal(set) var texts: [String] = []
  public internal(set) var buttons: [String: @MainActor () -> Void] = [:]
  public internal(set) var fields: [String: Binding<String>] = [:]
  public internal(set) var isBlocked = false
  public internal(set) var isAnimated = false
  var refresh: (@Sendable () async -> Void)?

  private var root: (any View)?
  private var isInvalid = true
  private var isCovered = false
  private var nodes: [String: Node] = [:]
  private var afterwards: [() -> Void] = []

  public init(_ root: some View) {
    self.root = root
    render()
  }

  /// Shows another view, or another state of the same one; nil removes the view.
  public func show(_ root: (any View)?) {
    self.root = root
    isInvalid = true
    render()
  }

  /// Waits until the condition holds, 20 s at most; views are evaluated again whenever a value that they show
  /// has changed.
  /// - Returns: False if it did not.
  public func wait(until condition: () -> Bool) async -> Bool {
    let end = ContinuousClock.now + .seconds(20)
    while ContinuousClock.now < end {
      render()
      if condition() { return true }
      await Task.yield()
    }
    return false
  }

  /// Runs the work that was deferred.
  public func settle() async {
    for _ in 0..<10 {
      await Task.yield()
      render()
    }
  }

  /// Pulls the view down, and waits until it is refreshed.
  public func pull() async { await refresh?() }

  /// Covers the view: it disappears, and keeps its state.
  public func cover() {
    isCovered = true
    for node in nodes.values where node.hasAppeared {
      node.hasAppeared = false
      node.onDisappear?()
    }
  }

  /// Shows the covered view again.
  public func uncover() {
    isCovered = false
    for node in nodes.values where !node.hasAppeared {
      node.hasAppeared = true
      node.onAppear?()
    }
  }

  // MARK: Evaluation

  /// A value that changes while a view is evaluated is shown by the next evaluation.
  nonisolated func invalidate() { MainActor.assumeIsolated { isInvalid = true } }

  func later(_ action: @escaping () -> Void) { afterwards.append(action) }

  private func render() {
    guard isInvalid else { return }
    isInvalid = false
    (texts, buttons, fields, refresh, isBlocked) = ([], [:], [:], nil, false)
    for node in nodes.values { node.isVisited = false }
    if let root { evaluate(root, "", EnvironmentValues()) }
    for (path, node) in nodes where !node.isVisited {
      nodes[path] = nil
      if node.hasAppeared { node.onDisappear?() }
    }
    for node in nodes.values where !node.hasAppeared && !isCovered {
      node.hasAppeared = true
      node.onAppear?()
    }
    let actions = afterwards
    afterwards = []
    for action in actions { action() }
  }

  func node(_ path: String) -> Node {
    let node = nodes[path] ?? Node()
    nodes[path] = node
    node.isVisited = true
    return node
  }

  func evaluate(_ view: some View, _ path: String, _ environment: EnvironmentValues) {
    if let part = view as? any Part {
      part.evaluate(self, path, environment)
    } else {
      evaluateBody(of: view, path, environment) { view.body }
    }
  }

  /// Evaluates the body of a view or a modifier, after its properties are connected to their kept state.
  func evaluateBody<Value>(
    of value: Value, _ path: String, _ environment: EnvironmentValues, _ body: () -> some View
  ) {
    let path = "\(path)/\(Value.self)"
    let node = node(path)
    connect(value, "", node, environment)
    let content = withObservationTracking(body) { [weak self] in self?.invalidate() }
    evaluate(content, path, environment)
  }

  private func connect(_ value: Any, _ prefix: String, _ node: Node, _ environment: EnvironmentValues) {
    for (index, child) in Mirror(reflecting: value).children.enumerated() {
      let name = "\(prefix).\(index)"
      if let property = child.value as? any ConnectedProperty {
        property.connect(&node.slots[name], environment, self)
      } else if var property = child.value as? any DynamicProperty {
        connect(property, name, node, environment)
        property.update()
      }
    }
  }
}

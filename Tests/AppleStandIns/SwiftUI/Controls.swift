public struct Text: View, Part {
  let text: String
  public init<S: StringProtocol>(_ content: S) { text = String(content) }
  public var body: Never { fatalError() }
  func evaluate(_ host: Host, _ path: String, _ environment: EnvironmentValues) { host.texts.append(text) }
}

public struct ProgressView: View, Part {
  let text: String
  public init() { text = "…" }
  public init<V: BinaryFloatingPoint>(value: V?, total: V = 1.0) { text = "\(value.map { "\($0)" } ?? "")…" }
  public var body: Never { fatalError() }
  func evaluate(_ host: Host, _ path: String, _ environment: EnvironmentValues) { host.texts.append(text) }
}

/// A view that contains others.
public struct VStack<Content: View>: View {
  private let content: Content
  public init(@ViewBuilder content: () -> Content) { self.content = content() }
  public var body: some View { content }
}

public struct HStack<Content: View>: View {
  private let content: Content
  public init(@ViewBuilder content: () -> Content) { self.content = content() }
  public var body: some View { content }
}

public struct NavigationStack<Root: View>: View {
  private let root: Root
  public init(@ViewBuilder root: () -> Root) { self.root = root() }
  public var body: some View { root }
}

public struct ForEach<Data: RandomAccessCollection, Content: View>: View, Part
where Data.Element: Identifiable {
  let data: Data
  let content: (Data.Element) -> Content
  public init(_ data: Data, @ViewBuilder content: @escaping (Data.Element) -> Content) {
    self.data = data
    self.content = content
  }
  public var body: Never { fatalError() }
  func evaluate(_ host: Host, _ path: String, _ environment: EnvironmentValues) {
    for element in data { host.evaluate(content(element), "\(path)/\(element.id)", environment) }
  }
}

public struct List<Content: View>: View {
  private let content: Content
  public init(@ViewBuilder content: () -> Content) { self.content = content() }
  public init<Data: RandomAccessCollection, Row: View>(
    _ data: Data, @ViewBuilder rowContent: @escaping (Data.Element) -> Row
  ) where Content == ForEach<Data, Row>, Data.Element: Identifiable {
    content = ForEach(data, content: rowContent)
  }
  public var body: some View { content }
}

public struct Button: View, Part {
  let title: String
  let action: @MainActor () -> Void
  public init(_ title: String, action: @escaping @MainActor () -> Void) {
    self.title = title
    self.action = action
  }
  public var body: Never { fatalError() }
  func evaluate(_ host: Host, _ path: String, _ environment: EnvironmentValues) {
    host.buttons[title] = action
  }
}

public struct TextField: View, Part {
  let title: String
  let text: Binding<String>
  public init(_ title: String, text: Binding<String>) {
    self.title = title
    self.text = text
  }
  public var body: Never { fatalError() }
  func evaluate(_ host: Host, _ path: String, _ environment: EnvironmentValues) { host.fields[title] = text }
}

public enum AccessibilityNotification {
  public struct Announcement: Sendable {
    let text: String
    public init(_ announcement: String) { text = announcement }
    public func post() { MainActor.assumeIsolated { Host.announcements.append(text) } }
  }
}

// MARK: Apps

@MainActor @preconcurrency public protocol Scene {}

public struct WindowGroup<Content: View>: Scene {
  let content: Content
  public init(@ViewBuilder content: () -> Content) { self.content = content() }
}

@MainActor @preconcurrency public protocol App {
  associatedtype Body: Scene
  var body: Body { get }
  init()
}

extension App {
  public static func main() { _ = Self().body }
}

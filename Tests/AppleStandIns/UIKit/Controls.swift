open class UIActivityIndicatorView: UIView {
  public enum Style: Int, Sendable { case medium, large }
  public init(style: Style) { super.init(frame: CGRect(x: 0, y: 0, width: 0, height: 0)) }
  public required init?(coder: NSCoder) { nil }
  public private(set) var isAnimating = false
  open func startAnimating() { isAnimating = true }
  open func stopAnimating() { isAnimating = false }
}

public enum NSTextAlignment: Int, Sendable { case left, center, right }

open class UILabel: UIView {
  open var text: String?
  open var textAlignment = NSTextAlignment.left
}

open class UITextView: UIView {
  open var text: String! = ""
}

open class UIControl: UIView {
  public struct Event: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static var touchUpInside: Event { Event(rawValue: 64) }
    public static var valueChanged: Event { Event(rawValue: 4096) }
    public static var primaryActionTriggered: Event { Event(rawValue: 8192) }
  }

  private var actions: [(Event, UIAction)] = []

  open func addAction(_ action: UIAction, for controlEvents: Event) {
    actions.append((controlEvents, action))
  }

  open func sendActions(for controlEvents: Event) {
    for (event, action) in actions where !event.isDisjoint(with: controlEvents) { action.handler(action) }
  }
}

open class UIRefreshControl: UIControl {
  public private(set) var isRefreshing = false
  open func beginRefreshing() { isRefreshing = true }
  open func endRefreshing() { isRefreshing = false }
}

@MainActor open class UIAction {
  let handler: (UIAction) -> Void
  public let title: String

  public init(title: String = "", handler: @escaping (UIAction) -> Void) {
    self.title = title
    self.handler = handler
  }
}

open class UIProgressView: UIView {
  public enum Style: Int, Sendable { case `default`, bar }
  public convenience init(progressViewStyle style: Style) { self.init() }
  open var progress: Float = 0
  open func setProgress(_ progress: Float, animated: Bool) { self.progress = progress }
}

@MainActor public enum UIAccessibility {
  public struct Notification: Hashable, Sendable {
    let name: String
    public static var announcement: Notification { Notification(name: "announcement") }
  }

  public internal(set) static var isReduceMotionEnabled = false
  static var posted: [String] = []

  public static func post(notification: Notification, argument: Any?) {
    posted.append("\(argument ?? "")")
  }
}

/// Not part of UIKit: values that a test sets and reads.
@MainActor public enum Accessibility {
  public static func setReduceMotion(_ isEnabled: Bool) { UIAccessibility.isReduceMotionEnabled = isEnabled }

  /// The number of animations.
  public internal(set) static var animations = 0

  public static func takePosted() -> [String] {
    defer { UIAccessibility.posted = [] }
    return UIAccessibility.posted
  }
}

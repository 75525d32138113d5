// A separate class, because Swift does not let a subclass isolate the initializer of an NSObject that is not
// Apple's.
@MainActor open class UIResponder: Hashable {
  nonisolated let associations = Associations()

  public init() {}

  public nonisolated static func == (a: UIResponder, b: UIResponder) -> Bool { a === b }
  public nonisolated func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

  open var next: UIResponder? { nil }
}

open class UIEvent: NSObject {}

open class UIView: UIResponder {
  public struct AutoresizingMask: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static var flexibleWidth: AutoresizingMask { AutoresizingMask(rawValue: 2) }
    public static var flexibleHeight: AutoresizingMask { AutoresizingMask(rawValue: 16) }
  }

  public init(frame: CGRect) {
    self.frame = frame
    super.init()
  }

  public required init?(coder: NSCoder) { nil }

  public convenience override init() { self.init(frame: CGRect(x: 0, y: 0, width: 0, height: 0)) }

  open var frame: CGRect
  open var bounds: CGRect { CGRect(x: 0, y: 0, width: frame.size.width, height: frame.size.height) }
  open var alpha: CGFloat = 1
  open var isHidden = false
  open var isUserInteractionEnabled = true
  open var autoresizingMask: AutoresizingMask = []
  open var isAccessibilityElement = false
  open var accessibilityViewIsModal = false

  public private(set) weak var superview: UIView?
  public private(set) var subviews: [UIView] = []
  /// The controller whose root view this is.
  weak var controller: UIViewController?

  open var window: UIWindow? { superview?.window }
  open override var next: UIResponder? { controller ?? superview }

  open func didMoveToWindow() {}
  open func layoutSubviews() {}
  open func setNeedsLayout() {}
  open func layoutIfNeeded() { layoutSubviews() }

  /// Like UIKit's: a view that is hidden, transparent or without interaction receives no touches, nor does
  /// any view in it.
  open func hitTest(_ point: CGPoint, with event: UIEvent?) -> UIView? {
    guard !isHidden, isUserInteractionEnabled, alpha >= 0.01, self.point(inside: point, with: event) else {
      return nil
    }
    for view in subviews.reversed() {
      let inside = CGPoint(x: point.x - view.frame.origin.x, y: point.y - view.frame.origin.y)
      if let hit = view.hitTest(inside, with: event) { return hit }
    }
    return self
  }

  open func point(inside point: CGPoint, with event: UIEvent?) -> Bool {
    (0..<bounds.width).contains(point.x) && (0..<bounds.height).contains(point.y)
  }

  open func bringSubviewToFront(_ view: UIView) {
    guard let index = subviews.firstIndex(where: { $0 === view }) else { return }
    subviews.append(subviews.remove(at: index))
  }

  open func addSubview(_ view: UIView) {
    let before = view.window
    view.superview?.subviews.removeAll { $0 === view }
    view.superview = self
    subviews.append(view)
    if before != nil || window != nil { view.tellMoved() }
  }

  open func removeFromSuperview() {
    let before = window
    superview?.subviews.removeAll { $0 === self }
    superview = nil
    if before != nil { tellMoved() }
  }

  private func tellMoved() {
    didMoveToWindow()
    for view in subviews { view.tellMoved() }
  }

  open class func animate(
    withDuration duration: TimeInterval, animations: @escaping () -> Void, completion: ((Bool) -> Void)? = nil
  ) {
    Accessibility.animations += 1
    animations()
    completion?(true)
  }
}

open class UIWindow: UIView {
  open var rootViewController: UIViewController? {
    willSet { rootViewController?.viewIfLoaded?.removeFromSuperview() }
    didSet { if let view = rootViewController?.view { addSubview(view) } }
  }

  open override var window: UIWindow? { self }

  open func makeKeyAndVisible() {}
}

open class UIVisualEffectView: UIView {
  public let contentView = UIView()

  public override init(frame: CGRect) {
    super.init(frame: frame)
    super.addSubview(contentView)
  }

  public required init?(coder: NSCoder) { nil }

  open override func addSubview(_ view: UIView) {
    preconditionFailure("views must be added to the content view of a UIVisualEffectView")
  }
}

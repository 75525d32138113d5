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

open class UIProgressView: UIView {
  public enum Style: Int, Sendable { case `default`, bar }
  public convenience init(progressViewStyle style: Style) { self.init() }
  open var progress: Float = 0
  open func setProgress(_ progress: Float, animated: Bool) { self.progress = progress }
}

open class UICollectionReusableView: UIView {
  open func prepareForReuse() {}
}

open class UICollectionViewCell: UICollectionReusableView {}
open class UITableViewCell: UIView {}
open class UICollectionView: UIView {
  open weak var prefetchDataSource: (any UICollectionViewDataSourcePrefetching)?
}
open class UITableView: UIView {
  open weak var prefetchDataSource: (any UITableViewDataSourcePrefetching)?
}

// As with the delegates of URLSession: methods that are optional for Objective-C are required here.

@MainActor public protocol UICollectionViewDataSourcePrefetching: NSObject {
  func collectionView(_ collectionView: UICollectionView, prefetchItemsAt indexPaths: [IndexPath])
  func collectionView(_ collectionView: UICollectionView, cancelPrefetchingForItemsAt indexPaths: [IndexPath])
}

@MainActor public protocol UITableViewDataSourcePrefetching: NSObject {
  func tableView(_ tableView: UITableView, prefetchRowsAt indexPaths: [IndexPath])
  func tableView(_ tableView: UITableView, cancelPrefetchingForRowsAt indexPaths: [IndexPath])
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

/// Not UIKit's: what a test sets and reads of it.
@MainActor public enum Accessibility {
  public static func setReduceMotion(_ isEnabled: Bool) { UIAccessibility.isReduceMotionEnabled = isEnabled }

  public static func takePosted() -> [String] {
    defer { UIAccessibility.posted = [] }
    return UIAccessibility.posted
  }
}

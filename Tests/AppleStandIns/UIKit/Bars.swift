@MainActor open class UIBarButtonItem {
  public enum SystemItem: Int, Sendable { case done, cancel, edit, save, add, compose, action }

  open var isEnabled = true
  private let action: UIAction?

  public init(systemItem: SystemItem, primaryAction: UIAction? = nil) { action = primaryAction }
  public init(title: String? = nil, primaryAction: UIAction? = nil) { action = primaryAction }

  /// Not part of UIKit: a tap on it.
  public func tap() { if isEnabled, let action { action.handler(action) } }
}

@MainActor open class UINavigationItem {
  open var title: String?
  open var leftBarButtonItem: UIBarButtonItem?
  open var rightBarButtonItem: UIBarButtonItem?
  open var searchController: UISearchController?

  public init(title: String) { self.title = title }
}

open class UISearchBar: UIView {
  open var text: String?
}

@MainActor public protocol UISearchResultsUpdating: AnyObject {
  func updateSearchResults(for searchController: UISearchController)
}

open class UISearchController: UIViewController {
  open weak var searchResultsUpdater: (any UISearchResultsUpdating)?
  open var obscuresBackgroundDuringPresentation = true
  public let searchBar = UISearchBar()

  public init(searchResultsController: UIViewController?) { super.init(nibName: nil, bundle: nil) }

  public required init?(coder: NSCoder) { nil }
}

open class UIAlertAction {
  public enum Style: Int, Sendable { case `default`, cancel, destructive }
  public init(title: String?, style: Style, handler: ((UIAlertAction) -> Void)? = nil) {}
}

open class UIAlertController: UIViewController {
  public enum Style: Int, Sendable { case actionSheet, alert }

  open var message: String?

  public convenience init(title: String?, message: String?, preferredStyle: Style) {
    self.init(nibName: nil, bundle: nil)
    self.title = title
    self.message = message
  }

  open func addAction(_ action: UIAlertAction) {}
}

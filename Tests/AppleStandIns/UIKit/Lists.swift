// Cells and lists, as UIKit declares them. Every row of a table is visible.

open class UICollectionReusableView: UIView {
  open func prepareForReuse() {}
}

open class UICollectionViewCell: UICollectionReusableView {}

open class UICollectionView: UIView {
  open weak var prefetchDataSource: (any UICollectionViewDataSourcePrefetching)?
}

// As with the delegates of URLSession: methods that are optional in Objective-C are required here, or have an
// empty body.

@MainActor public protocol UICollectionViewDataSourcePrefetching: NSObject {
  func collectionView(_ collectionView: UICollectionView, prefetchItemsAt indexPaths: [IndexPath])
  func collectionView(_ collectionView: UICollectionView, cancelPrefetchingForItemsAt indexPaths: [IndexPath])
}

@MainActor public protocol UITableViewDataSourcePrefetching: NSObject {
  func tableView(_ tableView: UITableView, prefetchRowsAt indexPaths: [IndexPath])
  func tableView(_ tableView: UITableView, cancelPrefetchingForRowsAt indexPaths: [IndexPath])
}

@MainActor public protocol UITableViewDataSource: AnyObject {
  func tableView(_ tableView: UITableView, numberOfRowsInSection section: Int) -> Int
  func tableView(_ tableView: UITableView, cellForRowAt indexPath: IndexPath) -> UITableViewCell
}

@MainActor public protocol UITableViewDelegate: AnyObject {
  func tableView(_ tableView: UITableView, didSelectRowAt indexPath: IndexPath)
  func tableView(
    _ tableView: UITableView, didEndDisplaying cell: UITableViewCell, forRowAt indexPath: IndexPath)
}

public protocol UIContentConfiguration {}

public struct UIListContentConfiguration: UIContentConfiguration {
  public var text: String?
  public var secondaryText: String?
  public var image: UIImage?
}

public final class UIImage: NSObject, Sendable {
  public init?(data: Data) { if data.isEmpty { return nil } }
}

open class UITableViewCell: UIView {
  public enum CellStyle: Int, Sendable { case `default`, value1, value2, subtitle }

  public let reuseIdentifier: String?
  open var contentConfiguration: (any UIContentConfiguration)?

  // Apple's is not `required`, because its runtime creates the cells of a class without it.
  public required init(style: CellStyle, reuseIdentifier: String?) {
    self.reuseIdentifier = reuseIdentifier
    super.init(frame: CGRect(x: 0, y: 0, width: 0, height: 0))
  }

  public required init?(coder: NSCoder) { nil }

  open func prepareForReuse() {}
  open func defaultContentConfiguration() -> UIListContentConfiguration { UIListContentConfiguration() }
}

open class UITableView: UIView {
  public enum Style: Int, Sendable { case plain, grouped, insetGrouped }

  open weak var prefetchDataSource: (any UITableViewDataSourcePrefetching)?
  open weak var dataSource: (any UITableViewDataSource)?
  open weak var delegate: (any UITableViewDelegate)?
  open var refreshControl: UIRefreshControl?
  public private(set) var visibleCells: [UITableViewCell] = []
  private var classes: [String: UITableViewCell.Type] = [:]
  private var pool: [UITableViewCell] = []

  public convenience init(frame: CGRect, style: Style) { self.init(frame: frame) }

  open func register(_ cellClass: AnyClass?, forCellReuseIdentifier identifier: String) {
    classes[identifier] = cellClass as? UITableViewCell.Type
  }

  open func dequeueReusableCell(withIdentifier identifier: String, for indexPath: IndexPath)
    -> UITableViewCell
  {
    if let index = pool.firstIndex(where: { $0.reuseIdentifier == identifier }) {
      let cell = pool.remove(at: index)
      cell.prepareForReuse()
      return cell
    }
    return (classes[identifier] ?? UITableViewCell.self).init(style: .default, reuseIdentifier: identifier)
  }

  open func reloadData() {
    let old = visibleCells
    visibleCells = []
    for (row, cell) in old.enumerated() {
      cell.removeFromSuperview()
      delegate?.tableView(self, didEndDisplaying: cell, forRowAt: IndexPath(row: row, section: 0))
    }
    pool += old
    for row in 0..<(dataSource?.tableView(self, numberOfRowsInSection: 0) ?? 0) {
      guard let cell = dataSource?.tableView(self, cellForRowAt: IndexPath(row: row, section: 0)) else {
        continue
      }
      visibleCells.append(cell)
      addSubview(cell)
    }
  }

  open func deselectRow(at indexPath: IndexPath, animated: Bool) {}
}

open class UITableViewController: UIViewController, UITableViewDataSource, UITableViewDelegate {
  public init(style: UITableView.Style) { super.init(nibName: nil, bundle: nil) }

  public override init(nibName nibNameOrNil: String?, bundle nibBundleOrNil: Bundle?) {
    super.init(nibName: nibNameOrNil, bundle: nibBundleOrNil)
  }

  public required init?(coder: NSCoder) { nil }

  open var tableView: UITableView! { view as? UITableView }

  open var refreshControl: UIRefreshControl? {
    get { tableView.refreshControl }
    set { tableView.refreshControl = newValue }
  }

  open override func loadView() {
    let table = UITableView()
    table.dataSource = self
    table.delegate = self
    view = table
  }

  open func tableView(_ tableView: UITableView, numberOfRowsInSection section: Int) -> Int { 0 }
  open func tableView(_ tableView: UITableView, cellForRowAt indexPath: IndexPath) -> UITableViewCell {
    UITableViewCell(style: .default, reuseIdentifier: nil)
  }
  open func tableView(_ tableView: UITableView, didSelectRowAt indexPath: IndexPath) {}
  open func tableView(
    _ tableView: UITableView, didEndDisplaying cell: UITableViewCell, forRowAt indexPath: IndexPath
  ) {}
}

extension IndexPath {
  public init(row: Int, section: Int) { self = [section, row] }
  public var row: Int { self[1] }
  public var section: Int { self[0] }
}

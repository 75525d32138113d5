#if canImport(UIKit) && !os(watchOS)
  public import UIKit

  /// Connects a `RequestPrefetcher` with a collection view or a table:
  /// `collectionView.prefetchDataSource = prefetcher`. Keep it, because a view does not retain its data source.
  @MainActor
  public final class IndexPathPrefetcher: NSObject, UICollectionViewDataSourcePrefetching,
    UITableViewDataSourcePrefetching
  {
    private let begin: ([IndexPath]) -> Void
    private let cancel: ([IndexPath]) -> Void

    /// Makes a data source for prefetching.
    /// - Parameters:
    ///   - prefetcher: The prefetcher to call.
    ///   - item: Returns the item at an index path; nil if the item is gone.
    public init<Item>(_ prefetcher: RequestPrefetcher<Item>, item: @escaping (IndexPath) -> Item?) {
      begin = { prefetcher.prefetch($0.compactMap(item)) }
      cancel = { prefetcher.cancelPrefetching($0.compactMap(item)) }
    }

    /// Sends the requests of these items.
    public func collectionView(_ collectionView: UICollectionView, prefetchItemsAt indexPaths: [IndexPath]) {
      begin(indexPaths)
    }

    /// Lowers the priority of these items.
    public func collectionView(
      _ collectionView: UICollectionView, cancelPrefetchingForItemsAt indexPaths: [IndexPath]
    ) {
      cancel(indexPaths)
    }

    /// Sends the requests of these rows.
    public func tableView(_ tableView: UITableView, prefetchRowsAt indexPaths: [IndexPath]) {
      begin(indexPaths)
    }

    /// Lowers the priority of these rows.
    public func tableView(_ tableView: UITableView, cancelPrefetchingForRowsAt indexPaths: [IndexPath]) {
      cancel(indexPaths)
    }
  }
#endif

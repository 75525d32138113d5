#if canImport(UIKit) && !os(watchOS)
  public import UIKit

  /// Connects a `RequestPrefetcher` with a collection view or a table: `collectionView.prefetchDataSource = prefetcher`.
  /// Keep it; a view does not keep its data source.
  @MainActor
  public final class IndexPathPrefetcher: NSObject, UICollectionViewDataSourcePrefetching,
    UITableViewDataSourcePrefetching
  {
    private let begin: ([IndexPath]) -> Void
    private let cancel: ([IndexPath]) -> Void

    /// - Parameter item: Returns the item at a place; nil if there is none any more.
    public init<Item>(_ prefetcher: RequestPrefetcher<Item>, item: @escaping (IndexPath) -> Item?) {
      begin = { prefetcher.prefetch($0.compactMap(item)) }
      cancel = { prefetcher.cancelPrefetching($0.compactMap(item)) }
    }

    public func collectionView(_ collectionView: UICollectionView, prefetchItemsAt indexPaths: [IndexPath]) {
      begin(indexPaths)
    }

    public func collectionView(
      _ collectionView: UICollectionView, cancelPrefetchingForItemsAt indexPaths: [IndexPath]
    ) {
      cancel(indexPaths)
    }

    public func tableView(_ tableView: UITableView, prefetchRowsAt indexPaths: [IndexPath]) {
      begin(indexPaths)
    }

    public func tableView(_ tableView: UITableView, cancelPrefetchingForRowsAt indexPaths: [IndexPath]) {
      cancel(indexPaths)
    }
  }
#endif

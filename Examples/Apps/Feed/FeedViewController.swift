import Errand
import ErrandUIKit
import UIKit

/// The list of posts, with a search, a pull to refresh, and a sheet to write a post.
final class FeedViewController: UITableViewController, UISearchResultsUpdating {
  private let feed: Feed
  private let avatars: RequestPrefetcher<Post>
  private lazy var prefetching = IndexPathPrefetcher(avatars) { [weak self] in self?.post(at: $0) }
  private var posts: [Post] = []
  private var found: [Post]?

  private var shown: [Post] { found ?? posts }

  /// Returns the post of a row, or nil if the row no longer exists.
  private func post(at path: IndexPath) -> Post? { shown.indices.contains(path.row) ? shown[path.row] : nil }

  init(_ feed: Feed) {
    self.feed = feed
    avatars = RequestPrefetcher(feed.client, request: Feed.avatar)
    super.init(style: .plain)
    title = "Feed"
  }

  required init?(coder: NSCoder) { nil }

  override func viewDidLoad() {
    super.viewDidLoad()
    tableView.register(PostCell.self, forCellReuseIdentifier: "post")
    tableView.prefetchDataSource = prefetching
    let search = UISearchController(searchResultsController: nil)
    search.searchResultsUpdater = self
    search.obscuresBackgroundDuringPresentation = false
    navigationItem.searchController = search
    navigationItem.rightBarButtonItem = UIBarButtonItem(
      systemItem: .compose, primaryAction: UIAction { [weak self] _ in self?.compose() })
    let refresh = UIRefreshControl()
    refresh.addAction(UIAction { [weak self] _ in self?.load() }, for: .valueChanged)
    refreshControl = refresh
    load()
  }

  func load() {
    whileShown { [weak self, feed] in
      defer { self?.refreshControl?.endRefreshing() }
      let posts = try await feed.posts()
      self?.posts = posts
      self?.tableView.reloadData()
    }
  }

  func updateSearchResults(for searchController: UISearchController) {
    let text = searchController.searchBar.text ?? ""
    guard !text.isEmpty else {
      found = nil
      return tableView.reloadData()
    }
    whileShown { [weak self, feed] in
      let posts = try await feed.search(text)
      // The user may have changed the text meanwhile.
      guard self?.navigationItem.searchController?.searchBar.text == text else { return }
      self?.found = posts
      self?.tableView.reloadData()
    }
  }

  private func compose() {
    let compose = ComposeViewController(feed) { [weak self] in self?.load() }
    present(UINavigationController(rootViewController: compose), animated: true)
  }

  // MARK: The table

  override func tableView(_ tableView: UITableView, numberOfRowsInSection section: Int) -> Int { shown.count }

  override func tableView(_ tableView: UITableView, cellForRowAt indexPath: IndexPath) -> UITableViewCell {
    let cell = tableView.dequeueReusableCell(withIdentifier: "post", for: indexPath)
    (cell as? PostCell)?.show(shown[indexPath.row], avatars)
    return cell
  }

  override func tableView(
    _ tableView: UITableView, didEndDisplaying cell: UITableViewCell, forRowAt indexPath: IndexPath
  ) {
    // The avatar of a hidden row keeps loading with a lower priority, and is cached for later.
    (cell as? PostCell)?.post.map(avatars.endDisplaying)
  }

  override func tableView(_ tableView: UITableView, didSelectRowAt indexPath: IndexPath) {
    tableView.deselectRow(at: indexPath, animated: true)
    navigationController?.pushViewController(PostViewController(shown[indexPath.row], feed), animated: true)
  }
}

final class PostCell: UITableViewCell {
  private(set) var post: Post?

  func show(_ post: Post, _ avatars: RequestPrefetcher<Post>) {
    self.post = post
    draw(post, nil)
    // Showing another post in this cell cancels this task.
    requests(for: post.id).task { [weak self] in
      guard let data = try await avatars.call(for: post)?.value.data else { return }
      self?.draw(post, UIImage(data: data))
    }
  }

  private func draw(_ post: Post, _ avatar: UIImage?) {
    var content = defaultContentConfiguration()
    content.text = post.title
    content.secondaryText = post.author
    content.image = avatar
    contentConfiguration = content
  }
}

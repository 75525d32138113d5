// swift-format-ignore-file
#if canImport(UIKit)
import Errand
import ErrandUIKit
import UIKit

private enum InAUIKitApp {
  struct Post: Codable, Sendable {
    let text: String
  }

  struct Photo: Codable, Hashable, Sendable {
    let id: Int
    let url: URL
  }

  struct User: Codable, Sendable {
    let name: String
  }

  final class ProfileViewController: UIViewController {
    let client: Client
    let url: URL

    init(_ client: Client, _ url: URL) {
      self.client = client
      self.url = url
      super.init(nibName: nil, bundle: nil)
    }

    required init?(coder: NSCoder) { nil }

    override func viewDidLoad() {
      super.viewDidLoad()
      requests.task { [weak self, client, url] in
        let user = try await client.send(.get(url)).decode(User.self)
        self?.show(user)
      }
    }

    func show(_ user: User) { title = user.name }
  }

  final class SearchViewController: UIViewController {
    let client: Client
    let searchURL: URL

    init(_ client: Client, _ searchURL: URL) {
      self.client = client
      self.searchURL = searchURL
      super.init(nibName: nil, bundle: nil)
    }

    required init?(coder: NSCoder) { nil }

    func search(_ text: String) {
      requests.task { [weak self, client, searchURL] in
        do {
          let found = try await client.send(.get(searchURL, query: ["q": text]).latest("search")).decode([User].self)
          self?.show(found)
        } catch where error.isCancellation {
          // A newer search, or the page has gone.
        } catch {
          self?.show(error)
        }
      }
    }

    func show(_ users: [User]) {}
    func show(_ error: any Error) {}
  }

  @MainActor static func navigation(_ navigationController: UINavigationController, _ session: RequestScope) {
    let scopes = NavigationScopes(navigationController, in: session)
    scopes.stack.scope.task { try await Task.sleep(for: .seconds(60)) }
    // Signed out: everything on the stack ends, innermost first.
    session.end()
  }

  final class AvatarView: UIView {
    func load(_ photo: Photo, _ client: Client) {
      requests.task { [weak self] in
        let picture = try await client.send(.get(photo.url)).data
        self?.draw(picture)
      }
    }

    func draw(_ picture: Data) {}
  }

  final class PhotoCell: UITableViewCell {
    func show(_ photo: Photo, _ prefetcher: RequestPrefetcher<Photo>) {
      requests(for: photo.id).task { [weak self] in
        guard let picture = try await prefetcher.call(for: photo)?.value.data else { return }
        self?.draw(picture)
      }
    }

    func draw(_ picture: Data) {}
  }

  final class PhotosViewController: UITableViewController {
    let client: Client
    var photos: [Photo] = []

    lazy var prefetcher = RequestPrefetcher(client) { (photo: Photo) in
      .get(photo.url).cached(as: "photo/\(photo.id)")
    }
    lazy var prefetching = IndexPathPrefetcher(prefetcher) { [weak self] path in
      self.flatMap { $0.photos.indices.contains(path.row) ? $0.photos[path.row] : nil }
    }

    init(_ client: Client) {
      self.client = client
      super.init(style: .plain)
    }

    required init?(coder: NSCoder) { nil }

    override func viewDidLoad() {
      super.viewDidLoad()
      tableView.prefetchDataSource = prefetching
    }

    override func tableView(
      _ tableView: UITableView, didEndDisplaying cell: UITableViewCell, forRowAt indexPath: IndexPath
    ) {
      if photos.indices.contains(indexPath.row) { prefetcher.endDisplaying(photos[indexPath.row]) }
    }
  }

  final class ComposeViewController: UIViewController {
    let client: Client
    let url: URL

    init(_ client: Client, _ url: URL) {
      self.client = client
      self.url = url
      super.init(nibName: nil, bundle: nil)
    }

    required init?(coder: NSCoder) { nil }

    let activity = RequestActivity("Publishing")
    lazy var presenter = ActivityPresenter(activity, over: view)

    override func viewDidLoad() {
      super.viewDidLoad()
      _ = presenter
    }

    func publish(_ post: Post) {
      requests.task { [weak self, client, url, activity] in
        try await client.send(.post(url, json: post).mustFinishFirst(activity))
        self?.dismiss(animated: true)
      }
    }
  }
}
#endif

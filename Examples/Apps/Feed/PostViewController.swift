import Errand
import ErrandUIKit
import UIKit

/// One post with its comments. A swipe back cancels its requests only once the swipe is completed.
final class PostViewController: UITableViewController {
  private let post: Post
  private let feed: Feed
  private var comments: [Comment] = []

  init(_ post: Post, _ feed: Feed) {
    self.post = post
    self.feed = feed
    super.init(style: .plain)
    title = post.title
  }

  required init?(coder: NSCoder) { nil }

  override func viewDidLoad() {
    super.viewDidLoad()
    tableView.register(UITableViewCell.self, forCellReuseIdentifier: "comment")
    whileShown { [weak self, feed, post] in
      let comments = try await feed.comments(on: post)
      self?.comments = comments
      self?.tableView.reloadData()
    }
  }

  override func tableView(_ tableView: UITableView, numberOfRowsInSection section: Int) -> Int {
    comments.count
  }

  override func tableView(_ tableView: UITableView, cellForRowAt indexPath: IndexPath) -> UITableViewCell {
    let cell = tableView.dequeueReusableCell(withIdentifier: "comment", for: indexPath)
    var content = cell.defaultContentConfiguration()
    content.text = comments[indexPath.row].text
    cell.contentConfiguration = content
    return cell
  }
}

import Errand
import ErrandUIKit
import UIKit

/// A sheet to write a post. While it publishes the post, the sheet takes no touches, and pulling it down
/// cancels the request.
final class ComposeViewController: UIViewController {
  private let feed: Feed
  private let whenPublished: () -> Void
  private let activity = RequestActivity("Publishing")
  private lazy var presenter = ActivityPresenter(activity, over: view)
  let text = UITextView()

  init(_ feed: Feed, whenPublished: @escaping () -> Void) {
    self.feed = feed
    self.whenPublished = whenPublished
    super.init(nibName: nil, bundle: nil)
    title = "New post"
  }

  required init?(coder: NSCoder) { nil }

  override func viewDidLoad() {
    super.viewDidLoad()
    text.frame = view.bounds
    text.autoresizingMask = [.flexibleWidth, .flexibleHeight]
    view.addSubview(text)
    _ = presenter
    navigationItem.leftBarButtonItem = UIBarButtonItem(
      systemItem: .cancel, primaryAction: UIAction { [weak self] _ in self?.dismiss(animated: true) })
    navigationItem.rightBarButtonItem = UIBarButtonItem(
      systemItem: .done, primaryAction: UIAction { [weak self] _ in self?.publish() })
  }

  private func publish() {
    let post = NewPost(title: text.text)
    whileShown { [weak self, feed, activity] in
      try await feed.publish(post, activity)
      self?.whenPublished()
      self?.dismiss(animated: true)
    }
  }
}

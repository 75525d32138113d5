import Errand
import ErrandUIKit
import UIKit

@main final class AppDelegate: UIResponder, UIApplicationDelegate {
  func application(
    _ application: UIApplication,
    didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
  ) -> Bool { true }
}

final class SceneDelegate: UIResponder, UIWindowSceneDelegate {
  var window: UIWindow?
  /// The scope of the signed-in user. Its end cancels the requests of all pages.
  private(set) var signedIn = RequestScope("signed in")

  func scene(
    _ scene: UIScene, willConnectTo session: UISceneSession,
    options connectionOptions: UIScene.ConnectionOptions
  ) {
    guard let scene = scene as? UIWindowScene, let url = URL(string: "https://feed.example.com/") else {
      return
    }
    show(Feed(url), in: UIWindow(windowScene: scene))
  }

  func show(_ feed: Feed, in window: UIWindow) {
    let navigation = UINavigationController(rootViewController: FeedViewController(feed))
    NavigationScopes(navigation, in: signedIn)
    window.rootViewController = navigation
    window.makeKeyAndVisible()
    self.window = window
  }

  func signOut(_ feed: Feed) {
    signedIn.end()
    signedIn = RequestScope("signed in")
    window.map { show(feed, in: $0) }
  }
}

open class UISceneSession: NSObject {}

open class UIScene: UIResponder {
  public final class ConnectionOptions {}
}

open class UIWindowScene: UIScene {}

@MainActor public protocol UISceneDelegate: AnyObject {
  func scene(
    _ scene: UIScene, willConnectTo session: UISceneSession,
    options connectionOptions: UIScene.ConnectionOptions)
}

@MainActor public protocol UIWindowSceneDelegate: UISceneDelegate {
  var window: UIWindow? { get set }
}

open class UIApplication: UIResponder {
  public struct LaunchOptionsKey: Hashable, Sendable {}
}

@MainActor public protocol UIApplicationDelegate: AnyObject {
  func application(
    _ application: UIApplication,
    didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
  ) -> Bool
}

extension UIApplicationDelegate {
  // The model has no screen, so a started application ends at once.
  public static func main() {}
}

extension UIWindow {
  public convenience init(windowScene: UIWindowScene) { self.init() }
}

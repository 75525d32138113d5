@MainActor public protocol UIViewControllerTransitionCoordinatorContext {
  var isCancelled: Bool { get }
}

@MainActor public protocol UIViewControllerTransitionCoordinator: UIViewControllerTransitionCoordinatorContext
{
  @discardableResult func animate(
    alongsideTransition animation: ((any UIViewControllerTransitionCoordinatorContext) -> Void)?,
    completion: ((any UIViewControllerTransitionCoordinatorContext) -> Void)?
  ) -> Bool
}

/// A movement from one controller to another: an animation, or a swipe.
@MainActor final class Movement: UIViewControllerTransitionCoordinator {
  private(set) var isCancelled = false
  private let finish: (Bool) -> Void
  private var completions: [(any UIViewControllerTransitionCoordinatorContext) -> Void] = []

  init(_ finish: @escaping (Bool) -> Void) { self.finish = finish }

  func animate(
    alongsideTransition animation: ((any UIViewControllerTransitionCoordinatorContext) -> Void)?,
    completion: ((any UIViewControllerTransitionCoordinatorContext) -> Void)?
  ) -> Bool {
    animation?(self)
    if let completion { completions.append(completion) }
    return true
  }

  func end(isCancelled: Bool) {
    self.isCancelled = isCancelled
    finish(isCancelled)
    for completion in completions { completion(self) }
  }
}

/// Not part of UIKit: lets a test complete movements.
@MainActor public enum Movements {
  private static var current: (movement: Movement, controllers: [UIViewController])?

  /// True during a movement. As in UIKit, the next movement has to wait.
  public static var isMoving: Bool { current != nil }

  static func begin(
    animated: Bool, of controllers: [UIViewController], _ start: () -> Void = {},
    then finish: @escaping (Bool) -> Void
  ) {
    precondition(current == nil, "a movement is in progress")
    guard animated else {
      start()
      return finish(false)
    }
    let movement = Movement(finish)
    current = (movement, controllers)
    for controller in controllers { controller.movement = movement }
    start()
  }

  /// Ends the current movement: a swipe is completed or cancelled.
  public static func end(givingUp: Bool = false) {
    guard let (movement, controllers) = current else { return }
    current = nil
    for controller in controllers { controller.movement = nil }
    movement.end(isCancelled: givingUp)
  }
}

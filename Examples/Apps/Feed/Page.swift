import Errand
import ErrandUIKit
import UIKit

extension UIViewController {
  /// Runs work in the scope of this page, which cancels it at the page's end. Shows errors, except for
  /// cancellations and ignored repeats.
  func whileShown(_ work: @escaping @MainActor @Sendable () async throws -> Void) {
    requests.task { [weak self] in
      do {
        try await work()
      } catch let error where error.isCancellation {
      } catch let error as RequestError where error.code == .ignoredRepeat {
      } catch {
        self?.show(error)
      }
    }
  }

  private func show(_ error: any Error) {
    let alert = UIAlertController(title: "Something went wrong", message: "\(error)", preferredStyle: .alert)
    alert.addAction(UIAlertAction(title: "OK", style: .default))
    present(alert, animated: true)
  }
}

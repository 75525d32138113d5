import Errand
import ErrandUIKit
import UIKit

extension UIViewController {
  /// Does work that ends with this page. A failure is shown; a cancellation is not, because nobody looks any more, nor is
  /// the repeat of a second tap.
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
    let alert = UIAlertController(title: "That failed", message: "\(error)", preferredStyle: .alert)
    alert.addAction(UIAlertAction(title: "OK", style: .default))
    present(alert, animated: true)
  }
}

// swift-format-ignore-file
import Errand
import Foundation

private struct Errors {
  let client: Client
  let request: Request
  func show(_ text: String) {}
  func showSignIn() {}

  func handle() async throws {
    do {
      try await client.send(request)
    } catch let error as RequestError {
      switch error.code {
      case .cancelled, .ignoredRepeat: break
      case .cannotResolveHost, .cannotConnect: show("You seem to be offline.")
      case .signedOut: showSignIn()
      default: show(error.description)
      }
    }
  }
}

import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Decides whether the response that a background session received belongs to the request. A session follows
/// redirects automatically, so this rule checks them afterwards and refuses the same ones as the client.
/// Pure.
struct HandoverRule: Sendable {
  let redirects: RedirectPolicy

  /// Returns why the response does not belong to the request; nil if it does.
  func problem(with response: SessionResponse, to request: Request) -> RequestError? {
    guard let asked = request.url else { return nil }
    let (from, to) = (Origin(asked), Origin(response.url))
    if from == nil || from != to {
      if !redirects.allowsOtherOrigins {
        return refused(
          "the response came from another origin, \(response.url.host() ?? "whose URL has no host")")
      }
      if !redirects.allowsDowngrade, from?.scheme == "https", to?.scheme != "https" {
        return refused("a redirect led from https to http")
      }
    }
    if response.method != request.method, !redirects.allowsChangeOfMethod {
      return refused("a redirect changed the method from \(request.method) to \(response.method)")
    }
    return nil
  }

  private func refused(_ message: String) -> RequestError {
    RequestError(.redirectRefused, message: message, reachedServer: true)
  }
}

extension HandedEnd {
  init(_ end: SessionEnd) {
    switch end {
    case .response, .failure: self = .finished
    case .cancelled(let hasBegun): self = .cancelled(hasBegun: hasBegun)
    }
  }
}

import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Decides whether a response that a background session has is one to the request. A session follows redirects by itself,
/// so they are judged afterwards, as if they had not been followed. Pure.
struct HandoverRule: Sendable {
  let redirects: RedirectPolicy

  /// Returns why the response is not one to the request; nil if it is.
  func problem(with response: SessionResponse, to request: Request) -> RequestError? {
    guard let asked = request.url else { return nil }
    let (from, to) = (Origin(asked), Origin(response.url))
    if from == nil || from != to {
      if !redirects.allowsOtherOrigins {
        return refused("the response came from another origin, \(response.url.host() ?? "of no name")")
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

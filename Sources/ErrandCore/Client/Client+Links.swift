#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

extension Response {
  /// Resolves a reference in the response against its URL (RFC 3986, section 5.2). The user and the password of the
  /// result are dropped, because the server chose them.
  /// - Returns: The URL, with any scheme; nil if the reference is not valid.
  package func resolving(_ reference: String) -> URL? {
    // By itself, a reference never has the fragment of its base.
    let base = url.absoluteString.prefix { $0 != "#" }
    guard !reference.utf8.contains(where: { $0 <= 32 || $0 == 127 }),
      let reference = URLReference(reference), let base = URLReference(String(base))
    else { return nil }
    let text = reference.resolved(against: base).text
    guard let url = URL(string: text), url.absoluteString == text else { return nil }
    return url
  }
}

/// A request whose URL was chosen by a server, in a link of one of its responses.
package struct LinkedRequest: Sendable {
  package fileprivate(set) var request: Request
  /// True if the request leads to another origin than the first one, or an earlier one did. It is sent as it is, without
  /// the client's fields and interceptors, which may add credentials.
  fileprivate var isForeign = false

  /// The URL as text, without its fragment.
  package var key: String { String(request.urlText.prefix { $0 != "#" }) }
}

extension Client {
  /// Returns the first request of a chain of links.
  package func linked(_ request: Request) -> LinkedRequest {
    LinkedRequest(request: pipeline.completed(request))
  }

  /// Sends a request of a chain of links.
  package func send(_ linked: LinkedRequest, in scope: RequestScope?) async throws -> Response {
    guard linked.isForeign else { return try await send(linked.request, in: scope) }
    return try await pipeline.send(linked.request, into: .memory, in: scope, isForeign: true)
  }

  /// Returns the request that follows a link by GET, with the options of the request before. At another origin, it has
  /// only what a redirect there would have.
  /// - Parameters:
  ///   - linked: The request before.
  ///   - response: Its response, which has the link.
  ///   - target: The link's target; nil if it is not valid.
  /// - Throws: `RequestError` (`pageRefused`), if the link must not be followed.
  package func following(
    _ linked: LinkedRequest, _ response: Response, to target: URL?
  ) throws(RequestError) -> LinkedRequest {
    guard let target, let before = linked.request.url else {
      throw refused("its URL is not valid", response)
    }
    let shown = secrets.redact(target.absoluteString).clippedURL
    var next = linked
    next.request.address = Address(target)
    if let problem = next.request.address.problem {
      throw refused("its URL is \(shown): \(problem)", response)
    }
    let policy = linked.request.options.redirects ?? pipeline.configuration.redirects
    if !policy.allowsDowngrade, Origin(response.url)?.scheme == "https", Origin(target)?.scheme == "http" {
      throw refused("\(shown) leads from https to http (RedirectPolicy.allowsDowngrade)", response)
    }
    // A response of another origin, after redirects, is the work of that origin.
    let origins = [before, response.url, target].map { Origin($0)?.text ?? "" }
    let crosses = Set(origins).count > 1
    if crosses, !policy.allowsOtherOrigins {
      throw refused("\(shown) is at another origin (RedirectPolicy.allowsOtherOrigins)", response)
    }
    next.request.becomeFollowing()
    guard crosses || linked.isForeign else { return next }
    if !linked.isForeign { next.request = try pipeline.ready(next.request) }
    next.isForeign = true
    next.request.fields.remove { !$0.mayCrossOrigins || secrets.covers($0) }
    next.request.options.keepSigners { $0.maySign(target, redirectedFrom: before) }
    if !pipeline.authentication.isFor(origins) { next.request.options.isUnauthenticated = true }
    return next
  }

  /// Returns the error for a page that is not requested.
  package func refused(_ reason: String, _ response: Response) -> RequestError {
    RequestError(
      .pageRefused, message: "the next page was not requested: \(reason)", method: .get,
      url: secrets.redact(response.url.absoluteString).clippedURL, status: response.status,
      reachedServer: true)
  }
}

extension Request {
  /// Makes the request a GET, without the fields and options that are for one URL only.
  fileprivate mutating func becomeFollowing() {
    method = .get
    body = .none
    let conditions: Set = [
      "if-match", "if-none-match", "if-modified-since", "if-unmodified-since", "if-range", "range",
      "idempotency-key",
      "expect",
    ]
    fields.remove {
      let name = ASCII.lowercased($0.name)
      return name.hasPrefix("content-") || conditions.contains(name)
    }
    options.caching = nil
    options.compressesBody = false
    options.bodyCoding = nil
    options.dependencies = []
    if options.repeats?.key != nil { options.repeats = nil }
  }
}

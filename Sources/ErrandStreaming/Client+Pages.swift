public import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension Client {
  /// Returns the response of a request, and then the pages that follow it: each response's `Link` field with the
  /// relation type `next` (RFC 8288) leads to the next page. A cursor in a body is not followed.
  ///
  /// ```swift
  /// for try await page in client.pages(of: .get("items")) { show(page.text) }
  /// ```
  ///
  /// A page is requested when it is asked for, so a loop that ends early requests no further page. Each page is a GET with
  /// the options of the request, except `cached(as:_:)`, which is for the first page, and conditions such as
  /// `If-None-Match`. Retries, limits and deadlines count for each page.
  ///
  /// A page at another origin gets what a redirect to that origin would get: no credential, no secret field and no
  /// interceptor of the client. ``RedirectPolicy`` decides whether pages may lead to another origin, or from https to
  /// http.
  ///
  /// The sequence ends with ``RequestError/Code/pageRefused`` if the next page's URL is not valid, or if it is that of an
  /// earlier page, so that the pages would never end.
  /// - Parameters:
  ///   - request: The request for the first page.
  ///   - limit: The largest number of pages. If there are more, the sequence ends with an error. Default: 10,000.
  ///   - scope: The scope that each page's request ends with.
  /// - Returns: A sequence that throws `RequestError`, or the error that an interceptor threw. Each of its iterators
  ///   begins with the first page.
  public func pages(
    of request: Request, limit: Int = 10_000, in scope: RequestScope? = nil
  ) -> some AsyncSequence<Response, any Error> & Sendable {
    PageSequence(client: self, request: request, limit: limit, scope: scope)
  }

  /// Returns the JSON value of each page. See ``pages(of:limit:in:)``.
  ///
  /// ```swift
  /// for try await repositories in client.pages(of: .get("repos"), as: [Repository].self) { all += repositories }
  /// ```
  /// - Parameters:
  ///   - request: The request for the first page.
  ///   - type: The type of each page's value.
  ///   - limit: The largest number of pages. If there are more, the sequence ends with an error. Default: 10,000.
  ///   - scope: The scope that each page's request ends with.
  /// - Returns: A sequence that throws `RequestError`, or the error that an interceptor threw.
  public func pages<Value: Decodable & Sendable>(
    of request: Request, as type: Value.Type, limit: Int = 10_000, in scope: RequestScope? = nil
  ) -> some AsyncSequence<Value, any Error> & Sendable {
    DecodedPages<Value>(pages: PageSequence(client: self, request: request, limit: limit, scope: scope))
  }
}

/// The pages of a request. See `Client.pages(of:limit:in:)`.
struct PageSequence: AsyncSequence, Sendable {
  typealias Element = Response
  typealias Failure = any Error

  let client: Client
  let request: Request
  let limit: Int
  let scope: RequestScope?

  struct AsyncIterator: AsyncIteratorProtocol {
    private let client: Client
    private let scope: RequestScope?
    private var state: PageState
    /// The request for the next page; nil at the end.
    private var upcoming: LinkedRequest?
    /// The last page without its body. Its links are read when the next page is asked for, so that a broken link does
    /// not lose the page.
    private var last: Response?

    fileprivate init(_ pages: PageSequence) {
      client = pages.client
      scope = pages.scope
      state = PageState(limit: pages.limit)
      upcoming = client.linked(pages.request)
    }

    mutating func next() async throws -> Response? {
      guard let before = upcoming else { return nil }
      upcoming = nil
      var linked = before
      if let last {
        guard let link = last.link("next") else { return nil }
        linked = try client.following(before, last, to: link.url)
        if let problem = state.problem(with: linked.key) {
          throw client.refused(problem.text(linked.request.urlText(hiding: client.secrets)), last)
        }
      } else {
        _ = state.problem(with: linked.key)
      }
      let response = try await client.send(linked, in: scope)
      state.note(response.url.absoluteString)
      last = Response(status: response.status, fields: response.fields, url: response.url)
      upcoming = linked
      return response
    }
  }

  func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }
}

/// Decides whether a page may be requested. Pure.
struct PageState {
  enum Problem: Equatable {
    case repeated
    case tooMany(Int)

    func text(_ url: String) -> String {
      switch self {
      case .repeated: "its URL \(url.clippedURL) is that of an earlier page, so the pages would never end"
      case .tooMany(let limit): "there are more than \(limit) pages: set a higher limit"
      }
    }
  }

  private let limit: Int
  private var count = 0
  private var seen: Set<String> = []

  init(limit: Int) { self.limit = limit }

  /// Counts the page, and returns the reason why it must not be requested; nil if it may be.
  mutating func problem(with url: String) -> Problem? {
    count += 1
    if !seen.insert(url).inserted { return .repeated }
    return count > limit ? .tooMany(limit) : nil
  }

  /// Notes the URL that a page came from, which after redirects is not the requested one.
  mutating func note(_ url: String) { seen.insert(String(url.prefix { $0 != "#" })) }
}

/// The values of pages. See `Client.pages(of:as:limit:in:)`.
struct DecodedPages<Value: Decodable & Sendable>: AsyncSequence, Sendable {
  typealias Element = Value
  typealias Failure = any Error

  let pages: PageSequence

  struct AsyncIterator: AsyncIteratorProtocol {
    fileprivate var pages: PageSequence.AsyncIterator
    fileprivate var hasFailed = false

    mutating func next() async throws -> Value? {
      guard !hasFailed, let page = try await pages.next() else { return nil }
      do { return try page.decode(Value.self) } catch {
        hasFailed = true
        throw error
      }
    }
  }

  func makeAsyncIterator() -> AsyncIterator { AsyncIterator(pages: pages.makeAsyncIterator()) }
}

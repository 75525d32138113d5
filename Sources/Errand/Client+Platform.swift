public import ErrandCore

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension Client {
  /// Creates a client on the platform's preferred transport: URLSession on Apple's platforms, libcurl elsewhere.
  /// - Parameter configuration: The settings. Default: those of `ClientConfiguration()`.
  public convenience init(configuration: ClientConfiguration = ClientConfiguration()) {
    #if canImport(ErrandURLSession) && canImport(Darwin)
      self.init(transport: URLSessionTransport(), configuration: configuration)
    #else
      self.init(transport: CurlTransport(), configuration: configuration)
    #endif
  }

  /// Creates a client for one service, with the settings of `ClientConfiguration()`.
  ///
  /// ```swift
  /// let client = Client(baseURL: URL(string: "https://example.com/v1")!)
  /// try await client.send(.get("users"))                        // https://example.com/v1/users
  /// try await client.send(.get("/users"))                       // the same
  /// try await client.send(.get("https://other.example/users"))  // as it is
  /// ```
  ///
  /// A relative URL is appended to the base URL, with or without a slash at its beginning. (By RFC 3986 a slash would
  /// lead to `https://example.com/users`.) An absolute URL is not changed, and may have any origin. A relative URL
  /// with a segment `.` or `..`, or one such as `//host/path`, fails as an invalid request.
  /// - Parameter baseURL: An absolute URL without a query and a fragment (`ClientConfiguration.baseURL`). With
  ///   another one, each request with a relative URL fails as an invalid request.
  public convenience init(baseURL: URL) {
    self.init { $0.baseURL = baseURL }
  }

  /// Creates a client whose settings differ from those of `ClientConfiguration()`.
  ///
  /// ```swift
  /// let client = Client {
  ///   $0.timeout = .seconds(5)
  ///   $0.cookies = CookieStore()
  /// }
  /// ```
  /// - Parameter configure: Changes the settings.
  /// - Throws: The error that `configure` throws.
  public convenience init<Failure: Error>(
    _ configure: (inout ClientConfiguration) throws(Failure) -> Void
  ) throws(Failure) {
    var configuration = ClientConfiguration()
    try configure(&configuration)
    self.init(configuration: configuration)
  }
}

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

  /// Creates a client for one service.
  /// - Parameter baseURL: The URL to which relative URLs are added (`ClientConfiguration.baseURL`).
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

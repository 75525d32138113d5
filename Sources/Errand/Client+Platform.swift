extension Client {
  /// Makes a client with the platform's preferred transport: URLSession on Apple's platforms, libcurl elsewhere.
  /// - Parameter configuration: The client's configuration. Default: all defaults.
  public convenience init(configuration: ClientConfiguration = ClientConfiguration()) {
    #if canImport(ErrandURLSession) && canImport(Darwin)
      self.init(transport: URLSessionTransport(), configuration: configuration)
    #else
      self.init(transport: CurlTransport(), configuration: configuration)
    #endif
  }
}

extension Client {
  /// Makes a client on the platform's preferred transport: URLSession on Apple's platforms, libcurl
  /// elsewhere.
  public convenience init(configuration: ClientConfiguration = ClientConfiguration()) {
    #if canImport(ErrandURLSession) && canImport(Darwin)
      self.init(transport: URLSessionTransport(), configuration: configuration)
    #else
      self.init(transport: CurlTransport(), configuration: configuration)
    #endif
  }
}

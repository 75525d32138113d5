extension RequestError {
  /// Returns the error with the request it is about; unchanged if it has one already, such as a request that
  /// an interceptor sent.
  func about(_ request: Request, _ secrets: Secrets) -> RequestError {
    guard method == nil else { return self }
    return about(request.method, request.address.shown(hiding: secrets), fields?.hiding(secrets))
  }
}

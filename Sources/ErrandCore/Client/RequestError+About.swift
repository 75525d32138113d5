extension RequestError {
  /// The same error, with the request it is about; as it is, if that has been said: one that an interceptor sent.
  func about(_ request: Request, _ secrets: Secrets) -> RequestError {
    guard method == nil else { return self }
    return about(request.method, request.address.shown(hiding: secrets), fields?.hiding(secrets))
  }
}

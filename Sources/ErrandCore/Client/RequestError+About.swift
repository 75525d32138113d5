extension RequestError {
  /// The same error, with the request it is about.
  func about(_ request: Request, _ secrets: Secrets) -> RequestError {
    var error = self
    error.method = request.method
    error.url = request.address.shown(hiding: secrets)
    error.fields = fields?.hiding(secrets)
    return error
  }
}

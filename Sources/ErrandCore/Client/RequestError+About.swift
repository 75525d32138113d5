extension RequestError {
  /// The same error, with the request it is about.
  func about(_ request: Request, _ secrets: Secrets) -> RequestError {
    var error = self
    error.method = request.method
    error.url = secrets.redact(request.address.text)
    return error
  }
}

extension Error {
  /// True for an error that only says that the request is not wanted any more, so that there is nothing to
  /// report: Errand's own cancelled outcome, Swift's `CancellationError`, and URLSession's `cancelled`.
  public var isCancellation: Bool {
    if let error = self as? RequestError { return error.code == .cancelled }
    if self is CancellationError { return true }
    return _domain == "NSURLErrorDomain" && _code == -999
  }
}

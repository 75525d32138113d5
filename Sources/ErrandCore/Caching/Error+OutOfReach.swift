extension Error {
  /// True if the server could not be reached in time, or was in trouble, so that an older answer is better than none. What
  /// is wrong here, what was called off, and what the server really answered are not that.
  var isServerOutOfReach: Bool {
    guard let error = self as? RequestError else { return false }
    if case .status(let status, _) = error.rejection {
      return status.isServerError || [408, 425, 429].contains(status.rawValue)
    }
    return switch error.code {
    case .timedOut, .deadlineExceeded, .cannotResolveHost, .cannotConnect, .connectionLost: true
    // Also what the login page of a hotel's network makes of a request.
    case .tlsFailed, .untrustedCertificate, .invalidResponse, .badEncoding: true
    default: false
    }
  }
}

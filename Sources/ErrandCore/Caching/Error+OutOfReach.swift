extension Error {
  /// True if the server could not be reached in time, or was in trouble, so that an older response is better
  /// than none. False for local faults, cancellations, and the server's genuine responses.
  var isServerOutOfReach: Bool {
    guard let error = self as? RequestError else { return false }
    if case .status(let status, _) = error.rejection {
      return status.isServerError || [408, 425, 429].contains(status.code)
    }
    return switch error.code {
    case .timedOut, .deadlineExceeded, .cannotResolveHost, .cannotConnect, .connectionLost: true
    // A captive portal's login page causes these, too.
    case .tlsFailed, .untrustedCertificate, .invalidResponse, .badEncoding: true
    default: false
    }
  }
}

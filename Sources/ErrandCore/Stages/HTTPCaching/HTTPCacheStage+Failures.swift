extension HTTPCacheStage {
  /// The statuses that `stale-if-error` counts as errors (RFC 5861, section 4).
  static func isOutage(_ status: HTTPStatus) -> Bool { [500, 502, 503, 504].contains(status.code) }

  /// The failures of a server that cannot be reached. A failure of TLS is not one of them: it must not go unnoticed.
  private static let disconnections: Set<RequestError.Code> = [
    .cannotResolveHost, .cannotConnect, .connectionLost, .timedOut,
  ]

  /// Returns the response that replaces an error; nil if the call must fail.
  func fallback(
    for error: any Error, _ seen: SeenRequest, _ stored: StoredVariants?, _ status: CacheStatus,
    _ caller: Caller
  ) -> Response? {
    guard let stored, caller.context.cancellation.cause == nil, error.isServerOutOfReach,
      let error = error as? RequestError
    else { return nil }
    if case .status(let status, _)? = error.rejection, !Self.isOutage(status) { return nil }
    let isDisconnected = Self.disconnections.contains(error.code)
    caller.validation?.note(.failed(isDisconnected: isDisconnected))
    if let response = fallback(seen, stored, caller, isDisconnected: isDisconnected) { return response }
    guard isDisconnected, let found = stored.selection?.selected?.response,
      FreshnessRule.mustReachServer(found.rules.control)
    else { return nil }
    // RFC 9111, section 5.2.2.2, for a caller that accepts it; others get the error.
    guard seen.request.options.validator.statuses.contains(504) else { return nil }
    return generated(504, status, seen, caller)
  }

  /// Returns the stale response, if it may replace the failure of a server.
  /// - Parameter isDisconnected: True if the server cannot be reached.
  func fallback(
    _ seen: SeenRequest, _ stored: StoredVariants, _ caller: Caller, isDisconnected: Bool
  ) -> Response? {
    let rule = FreshnessRule(now: cache.date())
    guard let variant = stored.selection?.selected,
      case let found = marked(variant, at: stored.place),
      rule.mayReplaceError(found, for: seen.fields, isDisconnected: isDisconnected),
      let part = part(of: found, seen, caller), let age = rule.age(of: found)
    else { return nil }
    let ttl = rule.lifetime(of: found) - age
    let use = CacheUse(
      .deliver, age: age, ttl: ttl,
      isDisconnected
        ? "stale, and the server cannot be reached" : "stale, and the server failed (stale-if-error)")
    let response = deliver(part, use, seen, caller)
    return seen.request.options.validator.problem(with: response.head) == nil ? response : nil
  }
}

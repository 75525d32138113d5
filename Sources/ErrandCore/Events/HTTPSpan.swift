/// OpenTelemetry's conventions for the spans and metrics of HTTP clients (stable, version 1.23 and later). Pure.
package enum HTTPSpan {
  private static let knownMethods: Set<String> = [
    "CONNECT", "DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "TRACE",
  ]

  /// Returns the name of a span: the method if it is a known one, because there must be few different names.
  static func name(_ method: HTTPMethod) -> String {
    knownMethods.contains(method.rawValue) ? method.rawValue : "HTTP"
  }

  /// Returns the value of `http.request.method`: the method if it is a known one, or `_OTHER`.
  package static func attribute(of method: HTTPMethod) -> String {
    knownMethods.contains(method.rawValue) ? method.rawValue : "_OTHER"
  }

  /// Returns the attributes of a request that are known when it is sent.
  /// - Parameter resend: The number of requests that the call has sent before, for any reason.
  static func attributes(of request: EventRequest, resend: Int) -> [String: TraceValue] {
    var attributes = metricAttributes(of: request)
    attributes["url.full"] = .string(request.url(masking: .openTelemetry))
    if !knownMethods.contains(request.method.rawValue) {
      attributes["http.request.method_original"] = .string(request.method.rawValue)
    }
    if resend > 0 { attributes["http.request.resend_count"] = .int(resend) }
    return attributes
  }

  /// Returns the attributes of a measurement, which are those with few different values.
  static func metricAttributes(of request: EventRequest) -> [String: TraceValue] {
    var attributes: [String: TraceValue] = [
      "http.request.method": .string(attribute(of: request.method))
    ]
    if let reference = URLReference(request.origin), let authority = reference.authority {
      attributes["server.address"] = .string(authority.host)
      attributes["url.scheme"] = reference.scheme.map { .string($0) }
      if let port = authority.port.flatMap({ Int($0) }) { attributes["server.port"] = .int(port) }
    }
    return attributes
  }

  /// Adds the attributes of a response.
  static func add(_ response: EventResponse, to attributes: inout [String: TraceValue]) {
    attributes["http.response.status_code"] = .int(response.status.code)
    if response.status.code >= 400 { attributes["error.type"] = .string("\(response.status.code)") }
    if let version = response.httpVersion {
      attributes["network.protocol.version"] = .string(String(version.rawValue.dropFirst("HTTP/".count)))
    }
  }

  /// Adds the attributes of a failure.
  static func add(_ failure: EventFailure, to attributes: inout [String: TraceValue]) {
    if let status = failure.status, failure.code == .rejected, status.code >= 400 {
      attributes["error.type"] = .string("\(status.code)")
    } else {
      attributes["error.type"] = .string(failure.code?.rawValue ?? "_OTHER")
    }
  }
}

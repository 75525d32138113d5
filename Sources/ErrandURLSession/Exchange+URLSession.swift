import ErrandCore
import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension URLRequest {
  /// The time-out of the session, a week. `SessionTransfer` checks the time-out, because URLSession rounds it
  /// or interprets it differently.
  static let never: TimeInterval = 7 * 24 * 3600

  init(_ request: Exchange.Request) {
    self.init(url: request.url, cachePolicy: .reloadIgnoringLocalCacheData, timeoutInterval: Self.never)
    httpMethod = request.method.rawValue
    httpShouldHandleCookies = false
    // Values of a repeated name are joined here, because URLSession omits the space after the comma.
    for field in request.fields where value(forHTTPHeaderField: field.name) == nil {
      setValue(request.fields[field.name], forHTTPHeaderField: field.name)
    }
    #if canImport(Darwin)
      self = withProperty(Self.sentByTransport, true)
    #endif
  }
}

extension ResponseHead {
  /// Makes a head from URLSession's response.
  init(_ response: HTTPURLResponse) {
    #if canImport(FoundationNetworking)
      var fields = HTTPFields(ofSession: response.allHeaderFields)
      // FoundationNetworking drops the body of a redirect, so its length is meaningless.
      if 300..<400 ~= response.statusCode { fields.remove("Content-Length") }
    #else
      let fields = HTTPFields(ofSession: response.allHeaderFields)
    #endif
    self.init(status: HTTPStatus(response.statusCode), fields: fields)
  }
}

#if canImport(Darwin)
  extension TransferMetrics {
    /// Makes metrics from URLSession's last transaction. It is the only one, because redirects are not followed.
    init(_ metrics: URLSessionTaskMetrics) {
      self.init()
      guard let last = metrics.transactionMetrics.last else { return }
      func time(_ begin: Date?, _ end: Date?) -> Duration? {
        guard let begin, let end else { return nil }
        return .seconds(max(0, end.timeIntervalSince(begin)))
      }
      connectionReused = last.isReusedConnection
      dns = time(last.domainLookupStartDate, last.domainLookupEndDate)
      tls = time(last.secureConnectionStartDate, last.secureConnectionEndDate)
      // The connect time includes TLS, which is counted separately.
      connect = time(last.connectStartDate, last.secureConnectionStartDate ?? last.connectEndDate)
      firstByte = time(last.fetchStartDate, last.responseStartDate)
      bytesSent = last.countOfRequestBodyBytesSent
      bytesReceived = last.countOfResponseBodyBytesReceived
      httpVersion =
        switch last.networkProtocolName {
        case "http/1.0": .http10
        case "http/1.1": .http11
        case "h2": .http2
        case "h3": .http3
        default: nil
        }
    }
  }
#endif

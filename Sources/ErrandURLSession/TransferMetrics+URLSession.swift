#if canImport(Darwin)
  import ErrandCore
  import Foundation

  extension TransferMetrics {
    /// Makes metrics of URLSession's last transaction, which is the only one because redirects are not
    /// followed.
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

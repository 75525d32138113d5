import CCurl

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The way in which an HTTP/1 connection ended after a request was sent on it, as the system reports it
/// before the socket is closed. Pure.
struct ConnectionEnding: Hashable {
  enum Kind {
    case unknown
    /// The server had closed its side.
    case closed
    /// The server's system had rejected bytes that were sent.
    case reset
  }

  let kind: Kind
  /// The number of bytes that the server's system never acknowledged.
  let unacknowledged: UInt64

  static let unknown = ConnectionEnding(kind: .unknown, unacknowledged: 0)

  /// Returns true if the server's system seems not to have acknowledged the whole head of the request. A body
  /// that was sent after an acknowledged head may give the same count.
  /// - Parameters:
  ///   - head: The number of bytes of the request's head that were sent.
  ///   - body: The number of bytes of its body that were sent. Some versions of libcurl count these twice.
  func mayPrecedeRequest(of head: UInt64, _ body: UInt64) -> Bool {
    // TLS adds bytes to each record. With several records, they could make an acknowledged head look unacknowledged.
    kind != .unknown && head > 0 && body <= 16 << 10 && unacknowledged >= head
  }

  /// Returns true if the server had closed its side before any byte of the request arrived, so that it cannot
  /// have read the request. A server that has read a request acknowledges it, at the latest when it closes.
  ///
  /// A reset alone does not prove that, because it may overtake the acknowledgement.
  /// - Parameters:
  ///   - head: The number of bytes of the request's head that were sent.
  ///   - body: The number of bytes of its body that were sent.
  ///   - error: libcurl's message. The system reports a broken pipe only if the connection was closed before
  ///     the reset.
  func precedesRequest(of head: UInt64, _ body: UInt64, error: String) -> Bool {
    guard mayPrecedeRequest(of: head, body), unacknowledged >= head + body else { return false }
    return kind == .closed || errand_mentions_closed(error)
  }
}

extension ConnectionEnding {
  /// Examines a connection that is about to be closed.
  init(of socket: Int32) {
    var count: UInt64 = 0
    kind =
      switch errand_ending_of(socket, &count) {
      case errand_ending_closed: .closed
      case errand_ending_reset: .reset
      default: .unknown
      }
    unacknowledged = count
  }
}

extension CurlTransfer {
  /// The fate of a request whose connection delivered no byte of a response.
  enum Fate: Hashable {
    /// The server has certainly not processed it.
    case unprocessed(String)
    /// The connection was reused, and nothing shows that the server received the request.
    case unacknowledged
    /// The server may have received the request.
    case unknown

    /// libcurl's codes for such an end, unless libcurl wants to resend the request.
    static let codes = [CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_GOT_NOTHING, CURLE_HTTP2_STREAM]

    init(of transfer: CurlTransfer) {
      let (head, body) = transfer.sentBeforeEnding
      self =
        if transfer.handle.isStreamRefused {
          .unprocessed("the server refused the request without processing it (HTTP/2 REFUSED_STREAM)")
        } else if transfer.ending.precedesRequest(of: head, body, error: transfer.errorMessage) {
          .unprocessed("the server had closed the connection before the request arrived")
        } else if transfer.ending.mayPrecedeRequest(of: head, body) {
          .unacknowledged
        } else {
          .unknown
        }
    }
  }
}

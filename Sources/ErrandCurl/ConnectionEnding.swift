import CCurl

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// How a connection of HTTP/1 ended on which a request had gone out, as the system tells before it is closed. Pure.
struct ConnectionEnding: Hashable {
  enum Kind {
    case unknown
    /// The server had closed its side.
    case closed
    /// The server's system had refused what was sent.
    case reset
  }

  let kind: Kind
  /// The number of bytes that the server's system has never acknowledged.
  let unacknowledged: UInt64

  static let unknown = ConnectionEnding(kind: .unknown, unacknowledged: 0)

  /// Returns true if the server's system has not acknowledged the whole head of the request, as far as the count tells: a
  /// body that was sent behind an acknowledged head may look the same.
  /// - Parameters:
  ///   - head: The number of bytes of the request's head that were sent.
  ///   - body: The same for its body. A version of libcurl may count these twice.
  func mayPrecedeRequest(of head: UInt64, _ body: UInt64) -> Bool {
    // TLS adds to what is sent: with more than one of its records, that might hide an acknowledged head.
    kind != .unknown && head > 0 && body <= 16 << 10 && unacknowledged >= head
  }

  /// Returns true if the server had closed its side before anything of the request arrived: then nothing can have read it.
  /// A server that has read a request acknowledges it, at the latest when it closes.
  ///
  /// A reset alone says less, because it may come before the acknowledgement of what was read.
  /// - Parameter error: libcurl's message. The system calls a connection broken only if it had been closed before the reset.
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
  /// The fate of a request whose connection brought no byte of a response.
  enum Fate: Hashable {
    /// The server has certainly not processed it.
    case unprocessed(String)
    /// The connection was there before, and nothing shows that the server has the request.
    case unacknowledged
    /// The server may have the request.
    case unknown

    /// libcurl's codes for such an end, where it does not want to send the request again by itself.
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

public import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension MockResponse {
  /// Closes the connection with a FIN at this point, and does not send the rest of the response.
  /// - Parameter reads: True to keep reading until the client closes, so that the client receives all that was
  ///   sent. False to close at once, as careless servers do; then unread data resets the connection. Default:
  ///   true.
  public func closing(at point: Point, reading reads: Bool = true) -> MockResponse {
    with { $0.faults.append((point, reads ? .close : .closeUnread)) }
  }

  /// Resets the connection with an RST at this point, and does not send the rest of the response.
  public func resetting(at point: Point) -> MockResponse { with { $0.faults.append((point, .reset)) } }

  /// Stops sending at this point, until the client closes the connection.
  public func stalling(at point: Point) -> MockResponse { with { $0.faults.append((point, .stall)) } }

  /// Pauses at this point, then sends the rest of the response.
  public func pausing(_ duration: Duration, at point: Point = .start) -> MockResponse {
    with { $0.faults.append((point, .pause(duration))) }
  }

  /// Sends the body in pieces of `bytes` bytes, with a pause of `interval` after each piece.
  public func dripping(_ bytes: Int, every interval: Duration) -> MockResponse {
    with { $0.drip = (max(1, bytes), interval) }
  }

  /// Announces a wrong `Content-Length`. If it is greater than the body's length, also close the connection at the
  /// end, or the client waits for more. It affects only a body that is not chunked.
  public func announcing(length: Int) -> MockResponse {
    with { response in
      if case .plain(let body, _) = response.content { response.content = .plain(body, length: length) }
    }
  }

  /// Announces no length, so that the end of the connection ends the body.
  public func announcingNoLength() -> MockResponse {
    with { response in
      if case .plain(let body, _) = response.content { response.content = .plain(body, length: nil) }
      response.closes = true
    }
  }

  /// Closes the connection after the response, and announces that with `Connection: close`.
  public func closingConnection() -> MockResponse {
    with { response in
      response.closes = true
      response.fields["Connection"] = "close"
    }
  }

  /// Sends an interim response (1xx) before this one.
  public func afterInterim(_ status: Int, fields: HTTPFields = [:]) -> MockResponse {
    with { $0.interims.append(Self.head(status, fields)) }
  }

  /// Sends `100 Continue`, waits for the body, then sends this response. Use it in a route whose handler is called
  /// at the head. Other routes send `100 Continue` automatically if the request expects it.
  public func afterContinue() -> MockResponse {
    with { response in
      response.interims.append(Self.head(100, [:]))
      response.awaitsBody = true
    }
  }

  /// Waits for the body before sending this response. Use it in a route whose handler is called at the head.
  public func afterBody() -> MockResponse { with { $0.awaitsBody = true } }

  /// Stops reading from the connection, so that data from the client piles up. Use it in a route whose handler is
  /// called at the head. Without reading, the server may not notice that the client closes the connection.
  public func withoutReading() -> MockResponse { with { $0.stopsReading = true } }

  private func with(_ change: (inout MockResponse) -> Void) -> MockResponse {
    var copy = self
    change(&copy)
    return copy
  }
}

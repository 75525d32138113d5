public import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension MockResponse {
  /// Closes the connection with a FIN at this point. The rest is not sent.
  /// - Parameter reads: True to read what the client still sends, so that it gets all that was sent to it. False to
  ///   close as servers do that are not careful: what was not read resets the connection. Default: true.
  public func closing(at point: Point, reading reads: Bool = true) -> MockResponse {
    with { $0.faults.append((point, reads ? .close : .closeUnread)) }
  }

  /// Resets the connection with an RST at this point. The rest is not sent.
  public func resetting(at point: Point) -> MockResponse { with { $0.faults.append((point, .reset)) } }

  /// Sends nothing more from this point on, until the client closes the connection.
  public func stalling(at point: Point) -> MockResponse { with { $0.faults.append((point, .stall)) } }

  /// Pauses at this point, then goes on.
  public func pausing(_ duration: Duration, at point: Point = .start) -> MockResponse {
    with { $0.faults.append((point, .pause(duration))) }
  }

  /// Sends the body in pieces of so many bytes, with a pause after each piece.
  public func dripping(_ bytes: Int, every interval: Duration) -> MockResponse {
    with { $0.drip = (max(1, bytes), interval) }
  }

  /// Announces a `Content-Length` that is not the body's. If it is greater, also close the connection at the
  /// end, otherwise the client waits.
  public func announcing(length: Int) -> MockResponse {
    with { response in
      if case .plain(let body, _) = response.content { response.content = .plain(body, length: length) }
    }
  }

  /// Announces no length: the body ends with the connection.
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

  /// Sends `100 Continue`, waits for the body, then sends this response. For a route whose handler is called
  /// at the head. A route whose handler is called at the body sends `100 Continue` by itself if the request
  /// expects it.
  public func afterContinue() -> MockResponse {
    with { response in
      response.interims.append(Self.head(100, [:]))
      response.awaitsBody = true
    }
  }

  /// Waits for the body before sending this response. For a route whose handler is called at the head.
  public func afterBody() -> MockResponse { with { $0.awaitsBody = true } }

  /// Stops reading from the connection, so that data from the client piles up. For a route whose handler is
  /// called at the head. While the server does not read, it cannot always tell that the client has closed the
  /// connection.
  public func withoutReading() -> MockResponse { with { $0.stopsReading = true } }

  private func with(_ change: (inout MockResponse) -> Void) -> MockResponse {
    var copy = self
    change(&copy)
    return copy
  }
}

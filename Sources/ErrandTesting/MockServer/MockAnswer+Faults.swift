public import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension MockAnswer {
  /// Closes the connection there, politely (FIN). What is behind is not sent.
  public func closing(at point: Point) -> MockAnswer { with { $0.faults.append((point, .close)) } }

  /// Resets the connection there (RST). What is behind is not sent.
  public func resetting(at point: Point) -> MockAnswer { with { $0.faults.append((point, .reset)) } }

  /// Says nothing more from there on, until the client closes.
  public func stalling(at point: Point) -> MockAnswer { with { $0.faults.append((point, .stall)) } }

  /// Pauses there, then goes on.
  public func pausing(_ duration: Duration, at point: Point = .start) -> MockAnswer {
    with { $0.faults.append((point, .pause(duration))) }
  }

  /// Sends the body so many bytes at a time, with a pause behind each piece.
  public func dripping(_ bytes: Int, every interval: Duration) -> MockAnswer {
    with { $0.drip = (max(1, bytes), interval) }
  }

  /// Announces a `Content-Length` that is not the body's. If it is more, close behind the body, else the client waits.
  public func announcing(length: Int) -> MockAnswer {
    with { answer in
      if case .plain(let body, _) = answer.content { answer.content = .plain(body, length: length) }
    }
  }

  /// Announces no length: the body ends where the connection does.
  public func announcingNoLength() -> MockAnswer {
    with { answer in
      if case .plain(let body, _) = answer.content { answer.content = .plain(body, length: nil) }
      answer.closes = true
    }
  }

  /// Closes the connection behind the answer, and says so with `Connection: close`.
  public func closingConnection() -> MockAnswer {
    with { answer in
      answer.closes = true
      answer.fields["Connection"] = "close"
    }
  }

  /// Sends an interim answer (1xx) before this one.
  public func afterInterim(_ status: Int, fields: HTTPFields = [:]) -> MockAnswer {
    with { $0.interims.append(Self.head(status, fields)) }
  }

  /// Sends `100 Continue`, waits for the body, then sends this answer. For a route that is called at the head; one that is
  /// called with the body does this by itself for a request that expects it.
  public func afterContinue() -> MockAnswer {
    with { answer in
      answer.interims.append(Self.head(100, [:]))
      answer.awaitsBody = true
    }
  }

  /// Waits for the body before it answers. For a route that is called at the head.
  public func afterBody() -> MockAnswer { with { $0.awaitsBody = true } }

  /// Reads no more from the connection, so that what a client sends piles up. For a route that is called at the head.
  /// While it does not read, the server cannot always tell that the client has closed.
  public func withoutReading() -> MockAnswer { with { $0.stopsReading = true } }

  private func with(_ change: (inout MockAnswer) -> Void) -> MockAnswer {
    var copy = self
    change(&copy)
    return copy
  }
}

public import ErrandCore

extension Client {
  /// Returns the events of an event stream (`text/event-stream`, WHATWG's HTML standard), across any number of
  /// connections.
  ///
  /// ```swift
  /// for try await event in client.events(.get("https://example.com/news")) { show(event.data) }
  /// ```
  ///
  /// The stream begins when its first event is asked for, and ends when its iterator is released, its task is cancelled
  /// or its scope ends. When a connection ends, breaks or is silent for too long, the stream connects again with
  /// `Last-Event-ID`, after the wait that the server has asked for or a growing one (``EventStreamOptions/backoff``). It
  /// also does so for the statuses 408, 425, 429, 500, 502, 503 and 504. Each connection is authenticated and signed
  /// anew. The status 204 ends the stream; another status or content type is an error. A stream from a POST, or with
  /// another method that is not idempotent, ends with its first connection; with an idempotency key, up to three attempts
  /// are made to begin it.
  ///
  /// An event stream takes no slot of the client's requests: see ``ConcurrencyLimits/eventStreams``. The request's
  /// deadline counts for the whole stream; the client's does not count. No more than about 1 MiB is read before the
  /// events are asked for.
  /// - Parameters:
  ///   - request: The request. `Accept: text/event-stream` and `Cache-Control: no-store` are added, unless it has these
  ///     fields.
  ///   - lastID: The id after which the stream begins: the ``ServerSentEvent/id`` of the last event that the program has
  ///     seen, maybe in an earlier launch. Default: nil, the server decides.
  ///   - options: The settings of the stream.
  ///   - scope: The scope that the stream ends with.
  /// - Returns: A sequence that throws `RequestError`, or the error that an interceptor or `onReconnection` threw. Each
  ///   of its iterators is an event stream of its own.
  public func events(
    _ request: Request, after lastID: String? = nil, options: EventStreamOptions = EventStreamOptions(),
    in scope: RequestScope? = nil
  ) -> some AsyncSequence<ServerSentEvent, any Error> & Sendable {
    EventStream(client: self, request: request, lastID: lastID ?? "", options: options, scope: scope)
  }
}

extension Request {
  /// Returns the request with the fields that ask for the events after the one with this id.
  /// - Parameter lastID: The id; empty for all events.
  package func askingForEvents(after lastID: String) -> Request {
    var request = self
    request.fields.appendMissing(["Accept": "text/event-stream", "Cache-Control": "no-store"])
    if !lastID.isEmpty { request.fields["Last-Event-ID"] = lastID }
    return request
  }
}

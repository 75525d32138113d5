extension Request {
  /// Sets a header field, replacing any of that name.
  /// - Parameter isSecret: True if the value is shown in no description, and is dropped when a redirect leads
  ///   to another origin. `Authorization` and `Cookie` are always secret.
  public func field(_ name: String, _ value: String, isSecret: Bool = false) -> Request {
    with { $0.fields.set(name, value, isSecret: isSecret) }
  }

  /// Adds a header field, and keeps existing ones of that name.
  package func addingField(_ name: String, _ value: String, isSecret: Bool = false) -> Request {
    with { $0.fields.append(name, value, isSecret: isSecret) }
  }

  /// Adds a name and value, which are percent-encoded, to the URL's query.
  public func query(_ name: String, _ value: String) -> Request {
    with { $0.address = $0.address.adding(CollectionOfOne((name, value))) }
  }

  /// Sets `Authorization: Bearer …` (RFC 6750).
  public func bearer(_ token: String) -> Request { field("Authorization", "Bearer \(token)") }

  /// Sets the `Idempotency-Key` field (draft-ietf-httpapi-idempotency-key-header), with which the server
  /// carries out repeats of the request only once. A POST or PATCH with a key may be retried like any other
  /// request, and all attempts carry the same key.
  ///
  /// The field's value is the key in quotes, as the draft says. For a server that expects no quotes, use
  /// `field("Idempotency-Key", key)`.
  /// - Parameter key: The key, in ASCII.
  public func idempotencyKey(_ key: String) -> Request {
    // A string of structured fields (RFC 9651, section 3.3.3).
    var text = ""
    for scalar in key.unicodeScalars {
      if scalar == "\"" || scalar == "\\" { text += "\\" }
      text.unicodeScalars.append(scalar)
    }
    return field("Idempotency-Key", "\"\(text)\"")
  }

  /// Sets the body. Default: `RequestBody.none`.
  public func body(_ body: RequestBody) -> Request { with { $0.body = body } }

  /// Sets the time-out: an attempt fails when no bytes were sent or received for this long. Default: the
  /// client's, 10 seconds.
  public func timeout(_ duration: Duration) -> Request { with { $0.options.timeout = duration } }

  /// Sets the connect time-out: an attempt fails with `timedOut` if connecting takes longer. Connecting
  /// includes the look-up of the host and the TLS handshake.
  ///
  /// It may be shorter or longer than `timeout`, which counts from the connection on. Default: the client's,
  /// which is nil; `timeout` then limits connecting, too.
  public func connectTimeout(_ duration: Duration) -> Request {
    with { $0.options.connectTimeout = duration }
  }

  /// Sets the deadline: the call fails after this time, including retries. Default: the client's, which is
  /// nil.
  public func deadline(_ duration: Duration) -> Request { with { $0.options.deadline = duration } }

  /// Sets which failures are retried, how often and when.
  public func retry(_ policy: RetryPolicy) -> Request { with { $0.options.retry = policy } }

  /// Sets the number of attempts, including the first, under the default policy.
  public func attempts(_ count: Int) -> Request { retry(.attempts(count)) }

  /// Delivers the response's body as it was transferred: its content codings, such as gzip, are not decoded, and none
  /// are asked for, unless the request sets `Accept-Encoding`. Without this, a coding that Errand does not know is an
  /// error.
  public func undecoded() -> Request { with { $0.options.isUndecoded = true } }

  /// Sends the request in one attempt, without retries.
  public func bestEffort() -> Request { retry(.never) }

  /// Sends the request without the client's credential (`ClientConfiguration.authentication`).
  public func unauthenticated() -> Request { with { $0.options.isUnauthenticated = true } }

  /// Sets the redirect policy. Default: the client's.
  public func redirects(_ policy: RedirectPolicy) -> Request { with { $0.options.redirects = policy } }

  /// Sets the statuses of the responses that are accepted, and no others. Default: 200 to 299.
  ///
  /// ```swift
  /// let response = try await client.send(.get(url).accepting(200, 404))
  /// ```
  public func accepting(_ status: Int, _ others: Int...) -> Request { accepting([status] + others) }

  /// Sets the statuses of the responses that are accepted, and no others, such as `200..<400`.
  ///
  /// A range may have any bounds. Of a sequence of another type, at most a million numbers are read.
  public func accepting(_ statuses: some Sequence<Int>) -> Request {
    with { $0.options.validator.statuses = AcceptedStatuses(statuses) }
  }

  /// Accepts responses of every status.
  public func acceptingAnyStatus() -> Request { accepting(100..<1000) }

  /// Requires the response to have one of these content types, for example `"application/json"` or
  /// `"image/*"`.
  public func expecting(contentType: String...) -> Request {
    with { $0.options.validator.contentTypes = contentType }
  }

  /// Rejects a response without a body.
  public func expectingBody() -> Request { with { $0.options.validator.requiresBody = true } }

  /// Adds a check of the response; an error that it throws becomes the request error's `underlying`.
  public func validate(_ check: @escaping @Sendable (Response) throws -> Void) -> Request {
    with { $0.options.validator.checks.append(ResponseCheck(check)) }
  }

  /// Sets the maximum number of the response's bytes to hold in memory. Default: the client's, 64 MiB.
  public func memoryLimit(_ bytes: Int) -> Request { with { $0.options.memoryLimit = bytes } }

  /// Sends the body compressed, with `Content-Encoding: gzip`. Not every server supports that.
  public func compressed() -> Request { with { $0.options.compressesBody = true } }

  /// Sets the HTTP version to use. Default: `automatic`.
  public func httpVersion(_ version: HTTPVersionPreference) -> Request {
    with { $0.options.httpVersion = version }
  }

  func with(_ change: (inout Request) -> Void) -> Request {
    var copy = self
    change(&copy)
    return copy
  }
}

extension Request {
  /// Sets a header field, replacing any of that name. A secret's value appears in no description and is
  /// dropped when a redirect leads to another origin; `Authorization` and `Cookie` are always secret.
  public func field(_ name: String, _ value: String, isSecret: Bool = false) -> Request {
    with { $0.fields.set(name, value, isSecret: isSecret) }
  }

  /// Adds a header field, beside others of that name.
  public func addingField(_ name: String, _ value: String, isSecret: Bool = false) -> Request {
    with { $0.fields.append(name, value, isSecret: isSecret) }
  }

  /// Adds an item to the URL's query, percent-encoded here.
  public func query(_ name: String, _ value: String) -> Request {
    with { $0.address = $0.address.adding(CollectionOfOne((name, value))) }
  }

  /// Sets `Authorization: Bearer …` (RFC 6750).
  public func bearer(_ token: String) -> Request { field("Authorization", "Bearer \(token)") }

  /// Sets the idempotency key (draft-ietf-httpapi-idempotency-key-header), which tells the server that
  /// repeats of the request count once: with a key, a POST or PATCH may be retried like any other request.
  public func idempotencyKey(_ key: String) -> Request {
    // A string as structured fields write it (RFC 9651, section 3.3.3).
    var text = ""
    for scalar in key.unicodeScalars {
      if scalar == "\"" || scalar == "\\" { text += "\\" }
      text.unicodeScalars.append(scalar)
    }
    return field("Idempotency-Key", "\"\(text)\"")
  }

  public func body(_ body: RequestBody) -> Request { with { $0.body = body } }

  /// Sets the time-out: an attempt fails when no bytes moved for this long. Default: the client's, 10
  /// seconds.
  public func timeout(_ duration: Duration) -> Request { with { $0.options.timeout = duration } }

  /// Sets the connect time-out: an attempt fails with `timedOut` when there is no connection after this time, with the
  /// look-up of the host and the TLS handshake. It may be shorter or longer than `timeout`, which counts from then on.
  /// Default: the client's, none; `timeout` then limits that, too.
  public func connectTimeout(_ duration: Duration) -> Request {
    with { $0.options.connectTimeout = duration }
  }

  /// Sets the deadline: the call fails after this time, including retries. Default: the client's, none.
  public func deadline(_ duration: Duration) -> Request { with { $0.options.deadline = duration } }

  /// Sets which failures are retried, how often and when.
  public func retry(_ policy: RetryPolicy) -> Request { with { $0.options.retry = policy } }

  /// Sets the number of attempts, including the first, under the default policy.
  public func attempts(_ count: Int) -> Request { retry(.attempts(count)) }

  /// Makes one attempt only.
  public func bestEffort() -> Request { retry(.never) }

  /// Sends the request without the client's credential (`ClientConfiguration.authentication`).
  public func unauthenticated() -> Request { with { $0.options.isUnauthenticated = true } }

  /// Sets the redirect policy. Default: the client's.
  public func redirects(_ policy: RedirectPolicy) -> Request { with { $0.options.redirects = policy } }

  /// Accepts responses with these statuses. Default: 200 to 299.
  public func accepting(_ statuses: Range<Int>) -> Request {
    with { $0.options.validator.statuses = statuses }
  }

  /// Accepts responses of every status.
  public func acceptingAnyStatus() -> Request { accepting(100..<1000) }

  /// Requires one of these content types of the response, for example `"application/json"`, `"image/*"`.
  public func expecting(contentType: String...) -> Request {
    with { $0.options.validator.contentTypes = contentType }
  }

  /// Refuses a response without a body.
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

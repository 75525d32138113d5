extension Request {
  /// Sets a field, in place of any of that name. A secret's value appears in no description and is dropped when a
  /// redirect leads to another origin; `Authorization` and `Cookie` always are secrets.
  public func field(_ name: String, _ value: String, isSecret: Bool = false) -> Request {
    with { $0.fields.set(name, value, isSecret: isSecret) }
  }

  /// Adds a field, beside others of that name.
  public func addingField(_ name: String, _ value: String, isSecret: Bool = false) -> Request {
    with { $0.fields.append(name, value, isSecret: isSecret) }
  }

  /// Adds an item to the URL's query, percent-encoded here.
  public func query(_ name: String, _ value: String) -> Request {
    with { $0.address = Address($0.address.text, query: CollectionOfOne((name, value))) }
  }

  /// `Authorization: Bearer …` (RFC 6750).
  public func bearer(_ token: String) -> Request { field("Authorization", "Bearer \(token)") }

  /// Says that doing it twice is doing it once (draft-ietf-httpapi-idempotency-key-header): with a key, a POST or
  /// PATCH may be tried again like any other.
  public func idempotencyKey(_ key: String) -> Request {
    // A string as structured fields write it (RFC 9651, section 3.3.3).
    var text = ""
    for scalar in key.unicodeScalars {
      if scalar == "\"" || scalar == "\\" { text += "\\" }
      text.unicodeScalars.append(scalar)
    }
    return field("Idempotency-Key", "\"\(text)\"")
  }

  public func body(_ body: Body) -> Request { with { $0.body = body } }

  /// A try ends when nothing moved for this long. Default: the client's, 10 seconds.
  public func timeout(_ duration: Duration) -> Request { with { $0.options.timeout = duration } }

  /// The call ends after this time, whatever it is doing. Default: the client's, none.
  public func deadline(_ duration: Duration) -> Request { with { $0.options.deadline = duration } }

  /// Which failures are tried again, how often and when.
  public func retry(_ policy: RetryPolicy) -> Request { with { $0.options.retry = policy } }

  /// So many tries, with the first, under the default policy.
  public func tries(_ count: Int) -> Request { retry(.tries(count)) }

  /// One try, whatever happens.
  public func bestEffort() -> Request { retry(.never) }

  /// Where redirects may lead. Default: as the client is configured.
  public func redirects(_ policy: RedirectPolicy) -> Request { with { $0.options.redirects = policy } }

  /// Answers with one of these statuses are accepted. Default: 200 to 299.
  public func accepting(_ statuses: Range<Int>) -> Request {
    with { $0.options.validator.statuses = statuses }
  }

  /// Every status is an answer.
  public func acceptingAnyStatus() -> Request { accepting(100..<1000) }

  /// The answer's content type must be one of these, as in `"application/json"`, `"image/*"`.
  public func expecting(contentType: String...) -> Request {
    with { $0.options.validator.contentTypes = contentType }
  }

  /// An answer without a body is refused.
  public func expectingBody() -> Request { with { $0.options.validator.requiresBody = true } }

  /// One more check of the answer; what it throws becomes the error's `underlying`.
  public func validate(_ check: @escaping @Sendable (Response) throws -> Void) -> Request {
    with { $0.options.validator.checks.append(ResponseCheck(check)) }
  }

  /// The most bytes of an answer that are kept in memory. Default: the client's, 64 MiB.
  public func memoryLimit(_ bytes: Int) -> Request { with { $0.options.memoryLimit = bytes } }

  /// Sends the body compressed, with `Content-Encoding: gzip`. Not every server takes that.
  public func compressed() -> Request { with { $0.options.compressesBody = true } }

  /// The HTTP version to speak. Default: `automatic`.
  public func httpVersion(_ version: HTTPVersionPreference) -> Request {
    with { $0.options.httpVersion = version }
  }

  func with(_ change: (inout Request) -> Void) -> Request {
    var copy = self
    change(&copy)
    return copy
  }
}

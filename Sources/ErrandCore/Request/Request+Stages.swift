extension Request {
  /// How soon it is wanted. Default: `Priority.default`.
  public func priority(_ priority: Priority) -> Request { with { $0.options.priority = priority } }

  /// Is shown while it is under way, if it takes long.
  /// - Parameters:
  ///   - text: What is said while it is the newest there. Default: the activity's own text.
  ///   - blocksInput: The user must wait until it has ended.
  public func activity(_ activity: Activity, text: String? = nil, blocksInput: Bool = false) -> Request {
    with { $0.options.activity = ActivityUse(activity, text: text, blocksInput: blocksInput) }
  }

  /// Must finish before the user goes on: goes before all others, and the activity blocks input until it has ended.
  public func mustFinishFirst(_ activity: Activity, text: String? = nil) -> Request {
    priority(.userInitiated).activity(activity, text: text, blocksInput: true)
  }

  /// Nobody waits for it: goes after all others, and is shown nowhere.
  public func inBackground() -> Request {
    with {
      $0.options.priority = .background
      $0.options.activity = nil
    }
  }

  /// Is sent when these have succeeded. If one fails, so does this, with `RequestError(.dependencyFailed)`, which says
  /// which and why. A call can only wait for calls that are there already, so none ever waits for itself.
  public func after(_ calls: Call...) -> Request { after(calls) }

  /// Is sent when these have succeeded.
  public func after(_ calls: some Sequence<Call>) -> Request {
    with { $0.options.dependencies += calls }
  }

  /// Is not sent if the same was sent a moment ago: then it fails at once, with `RequestError(.ignoredRepeat)`. For a
  /// button that is tapped twice.
  /// - Parameters:
  ///   - interval: How long after one was sent others are ignored. Default: 3 s.
  ///   - untilFailed: They are ignored no longer once it has failed. One that certainly never left for the server never has
  ///     others ignored. Default: false.
  ///   - key: What makes them the same. Default: method, URL (its query in any order), body.
  ///   - fields: Names of fields that also have to be the same. Credentials always have to.
  public func ignoringRepeats(
    within interval: Duration = .seconds(3), untilFailed: Bool = false, key: RequestKey? = nil,
    fields: [String] = []
  ) -> Request {
    with {
      $0.options.repeats = .ignoring(within: interval, untilFailed: untilFailed, key: key, fields: fields)
    }
  }

  /// Shares one request, and its answer, with all that are the same and come while it is under way or within a window from
  /// its beginning. Each has its own progress and can be called off by itself; the shared one ends with the last of them.
  /// Only `send` and `start` can share. The request that goes out is that of the one who came first, with its retries,
  /// time-outs and checks; each one's own checks come on top.
  /// - Parameters:
  ///   - window: How long, from its beginning, it answers others. Default: until it has ended.
  ///   - failures: Whether one who comes within the window after it failed gets that failure, or a new try.
  ///   - whenAbandoned: Whether it is called off when all who waited have been.
  ///   - key: What makes them the same, besides their fields. Default: method, URL (its query in any order), body.
  ///   - fields: Names of fields that also have to be the same: those that need not be otherwise (see `RepeatRule`).
  public func shared(
    within window: Duration = .zero, failures: SharingPolicy.Failures = .replayed,
    whenAbandoned: SharingPolicy.Abandonment = .calledOff, key: RequestKey? = nil, fields: [String] = []
  ) -> Request {
    let policy = SharingPolicy(window: window, failures: failures, whenAbandoned: whenAbandoned)
    return with { $0.options.repeats = .sharing(policy, key: key, fields: fields) }
  }

  /// The newest wins: calls off the one before it with this key, which is then never answered, even if its answer is here
  /// already. For search as you type.
  /// - Parameter key: What makes them the same. Default: method, URL (its query in any order), body.
  public func latest(_ key: RequestKey? = nil) -> Request { with { $0.options.repeats = .latest(key) } }

  /// Keeps its answer in the client's store, and may be answered from there. Only for `send`, `start` and `answers(to:)`.
  /// - Parameters:
  ///   - name: What it is kept under, for requests with the same fields (see `AnswerPartition`): two users never share an
  ///     answer, whatever the name. What says `Cache-Control: no-store`, be it the request or the answer, is not kept.
  ///   - policy: When what is kept is the answer. Default: `first`.
  public func kept(as name: String, _ policy: KeepPolicy = .first) -> Request {
    with { $0.options.keeping = KeepRule(name, policy) }
  }
}

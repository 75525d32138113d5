import ErrandCore

/// Those of a request's options that outlive the process; nil for what was not set. Its retries do not: they are about one
/// call, and an outbox has a policy of its own.
///
/// Of the others, `deadline` is how long the row may take, and `activity` is shown by this process only. Any other one would
/// make it another request if it were forgotten, so it is refused (`Request.checkStorable`).
struct StoredOptions: Sendable, Hashable, Codable {
  /// Nanoseconds.
  var timeout: Int64?
  /// The first status that is accepted, and the first that is not any more.
  var statuses: [Int]?
  var contentTypes: [String]?
  var requiresBody: Bool?
  var memoryLimit: Int?
  var compressesBody: Bool?
  var httpVersion: String?
  var redirects: StoredRedirectPolicy?
  var priority: UInt8?

  /// Nothing was set.
  static let none = StoredOptions(RequestOptions())

  init(_ options: RequestOptions) {
    let usual = RequestOptions()
    timeout = options.timeout?.wholeNanoseconds
    let validator = options.validator
    if validator.statuses != usual.validator.statuses {
      statuses = [validator.statuses.lowerBound, validator.statuses.upperBound]
    }
    contentTypes = validator.contentTypes
    if validator.requiresBody { requiresBody = true }
    memoryLimit = options.memoryLimit
    if options.compressesBody { compressesBody = true }
    if options.httpVersion != usual.httpVersion { httpVersion = options.httpVersion.rawValue }
    redirects = options.redirects.map(StoredRedirectPolicy.init)
    if options.priority != usual.priority { priority = options.priority.rawValue }
  }

  /// The options again, or nil if these are none that were ever stored.
  var options: RequestOptions? {
    var options = RequestOptions()
    options.timeout = timeout.map(Duration.nanoseconds)
    if let statuses {
      guard statuses.count == 2, statuses[0] <= statuses[1] else { return nil }
      options.validator.statuses = statuses[0]..<statuses[1]
    }
    options.validator.contentTypes = contentTypes
    options.validator.requiresBody = requiresBody ?? false
    options.memoryLimit = memoryLimit
    options.compressesBody = compressesBody ?? false
    if let httpVersion {
      guard let version = HTTPVersionPreference(rawValue: httpVersion) else { return nil }
      options.httpVersion = version
    }
    options.redirects = redirects?.policy
    if let priority {
      guard let priority = Priority(rawValue: priority) else { return nil }
      options.priority = priority
    }
    return options
  }
}

extension Duration {
  /// Cut to what fits: 292 years.
  var wholeNanoseconds: Int64 {
    let (seconds, attoseconds) = components
    let (whole, isTooMuch) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    guard !isTooMuch else { return seconds < 0 ? .min : .max }
    let (sum, isOver) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
    return isOver ? (seconds < 0 ? .min : .max) : sum
  }
}

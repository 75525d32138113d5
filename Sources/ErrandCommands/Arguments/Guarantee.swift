/// The options of a request that is stored until it is delivered.
struct Guarantee: Sendable, Hashable {
  var lane: String?
  var expires: Duration?
  /// The folder of the outbox, or nil for the usual one.
  var store: String?
  /// True if the request is only stored, and another process delivers it.
  var isDetached = false

  init() {}

  /// Reads the options; nil without `--guaranteed`.
  init?(_ arguments: ScannedArguments) throws(UsageError) {
    guard arguments.has(.guaranteed) else {
      if let option = [OptionSpec.lane, .expires, .store, .detach].first(where: arguments.has) {
        throw UsageError("\(option.name) goes with --guaranteed only")
      }
      return nil
    }
    lane = arguments.last(.lane)
    if let text = arguments.last(.expires) { expires = try ValueParser.duration(text, for: .expires) }
    store = try ValueParser.path(arguments.last(.store), for: .store)
    isDetached = arguments.has(.detach)
    try Self.refuseWhatIsNotStored(arguments)
  }

  /// Refuses the options that would be ignored because they are not stored with a request.
  private static func refuseWhatIsNotStored(_ arguments: ScannedArguments) throws(UsageError) {
    let reasons: [(OptionSpec, String)] = [
      (.deadline, "--expires 7d ends it after that time."),
      (.retry, "It is tried until it is delivered; --expires 7d ends it after that time."),
      (.noRedirects, "A stored request follows redirects only with its method, and within its origin."),
      (.activity, "Every step is shown anyway."),
      (.file, "What is kept of the response goes to standard output: > FILE."),
    ]
    if let (option, hint) = reasons.first(where: { arguments.has($0.0) }) {
      throw UsageError("\(option.name) does not go with --guaranteed", hint: hint)
    }
    guard arguments.has(.detach), let option = OptionSpec.ways.first(where: arguments.has) else { return }
    throw UsageError(
      "\(option.name) is not stored with the request, and --detach leaves sending to others",
      hint: "Give it to whoever delivers: errand outbox run \(option.name) ...")
  }
}

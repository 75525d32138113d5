/// The options that say how a server is reached and which keys are trusted.
struct ConnectionArguments: Sendable, Hashable {
  var authorities: String?
  var pins: [String] = []
  var overrides: [AddressOverride] = []
  var proxy: String?

  init() {}

  init(_ arguments: ScannedArguments) throws(UsageError) {
    authorities = arguments.last(.authorities)
    for text in arguments.values(.pin) { pins.append(try ValueParser.pin(text)) }
    for text in arguments.values(.resolve) { overrides.append(try ValueParser.override(text)) }
    if let text = arguments.last(.proxy) { proxy = try ValueParser.proxy(text) }
  }
}

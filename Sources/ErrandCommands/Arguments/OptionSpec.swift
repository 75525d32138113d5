/// One option of the command line.
struct OptionSpec: Sendable, Hashable {
  let long: String?
  let short: Character?
  /// The name of the value in help; nil for an option without a value.
  let placeholder: String?
  let help: String

  init(_ long: String?, _ short: Character? = nil, _ placeholder: String? = nil, _ help: String) {
    self.long = long
    self.short = short
    self.placeholder = placeholder
    self.help = help
  }

  var takesValue: Bool { placeholder != nil }

  /// The option's name in messages.
  var name: String { long.map { "--\($0)" } ?? short.map { "-\($0)" } ?? "" }
}

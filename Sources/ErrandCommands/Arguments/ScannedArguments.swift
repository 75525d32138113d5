/// A command's arguments, split into operands and options with their values, both in order.
struct ScannedArguments: Sendable {
  struct Given: Sendable, Hashable {
    let option: OptionSpec
    let value: String
  }

  private(set) var options: [Given] = []
  private(set) var operands: [String] = []
  private let command: CommandSpec

  func has(_ option: OptionSpec) -> Bool { options.contains { $0.option == option } }
  func values(_ option: OptionSpec) -> [String] { options.filter { $0.option == option }.map(\.value) }

  /// Returns true if the command has this option.
  func accepts(_ option: OptionSpec) -> Bool { command.options.contains(option) }

  /// Returns the last value of an option, because the last one counts if an option is repeated.
  func last(_ option: OptionSpec) -> String? { values(option).last }

  /// Splits the arguments as getopt does: `--name value`, `--name=value`, `-x value`, `-xvalue`, `-ivo file`;
  /// all arguments after `--` are operands, and so is `-`.
  init(_ arguments: some Sequence<String>, for command: CommandSpec) throws(UsageError) {
    self.command = command
    var rest = Array(arguments)[...]
    while let argument = rest.popFirst() {
      if argument == "--" {
        operands += rest
        return
      } else if argument.hasPrefix("--") {
        try scanLong(argument.dropFirst(2), &rest, command)
      } else if argument.hasPrefix("-"), argument != "-" {
        try scanShort(argument.dropFirst(), &rest, command)
      } else {
        operands.append(argument)
      }
    }
  }

  /// Checks that the operands are UTF-8.
  mutating func checkOperands() throws(UsageError) {
    for index in operands.indices {
      operands[index] = try ArgumentBytes.checked(operands[index], "an argument of errand \(command.name)")
    }
  }

  private mutating func scanLong(
    _ text: Substring, _ rest: inout ArraySlice<String>, _ command: CommandSpec
  ) throws(UsageError) {
    let equals = text.firstIndex(of: "=")
    let name = text[..<(equals ?? text.endIndex)]
    guard let option = command.options.first(where: { $0.long.map { $0 == name } ?? false }) else {
      throw UnknownOption(try ArgumentBytes.checked("--\(name)", "an option"), command).error
    }
    let attached = equals.map { String(text[text.index(after: $0)...]) }
    if option.takesValue {
      try add(option, attached ?? rest.popFirst())
    } else if attached != nil {
      throw UsageError("--\(name) takes no value")
    } else {
      options.append(Given(option: option, value: ""))
    }
  }

  private mutating func scanShort(
    _ text: Substring, _ rest: inout ArraySlice<String>, _ command: CommandSpec
  ) throws(UsageError) {
    var text = text
    while let letter = text.popFirst() {
      guard let option = command.options.first(where: { $0.short == letter }) else {
        throw UnknownOption(try ArgumentBytes.checked("-\(letter)", "an option"), command).error
      }
      guard option.takesValue else {
        options.append(Given(option: option, value: ""))
        continue
      }
      return try add(option, text.isEmpty ? rest.popFirst() : String(text))
    }
  }

  private mutating func add(_ option: OptionSpec, _ value: String?) throws(UsageError) {
    guard let value else {
      throw UsageError("\(option.name) needs a value: \(option.name) \(option.placeholder ?? "")")
    }
    // The bytes of a body are sent as they are.
    let isBody = option == .data && !value.hasPrefix("@")
    options.append(
      Given(
        option: option,
        value: isBody ? value : try ArgumentBytes.checked(value, "the value of \(option.name)")))
  }
}

import ErrandCore

/// A command's arguments, split into operands and options with their values, both in order.
struct ScannedArguments: Sendable {
  struct Given: Sendable, Hashable {
    let option: OptionSpec
    let value: String
  }

  private(set) var options: [Given] = []
  private(set) var operands: [String] = []
  /// The position of the first operand in the arguments; nil without operands.
  private(set) var firstOperand: Int?
  let command: CommandSpec

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
        if operands.isEmpty, !rest.isEmpty { firstOperand = rest.startIndex }
        operands += rest
        return
      } else if argument.hasPrefix("--") {
        try scanLong(argument.dropFirst(2), &rest, command)
      } else if argument.hasPrefix("-"), argument != "-" {
        try scanShort(argument.dropFirst(), &rest, command)
      } else {
        if operands.isEmpty { firstOperand = rest.startIndex - 1 }
        operands.append(argument)
      }
    }
  }

  /// Adds the options that the command has, unless the arguments have the same option or one that excludes it.
  mutating func takeDefaults(_ defaults: [Given]) {
    let excluding: [[OptionSpec]] = [
      OptionSpec.logins + [.digest], [.http1, .http2], [.ipv4, .ipv6],
      [.noRedirects, .maxRedirects],
      [.file, .remoteName],
    ]
    func name(_ given: Given) -> String? {
      given.option == .header ? ASCII.lowercased(String(given.value.prefix { !":;".contains($0) })) : nil
    }
    let added = defaults.filter { given in
      guard accepts(given.option) else { return false }
      if has(.guaranteed), Guarantee.omits(given, of: defaults, isDetached: has(.detach)) { return false }
      if given.option == .header { return !options.contains { name($0) == name(given) } }
      let rivals = excluding.first { $0.contains(given.option) } ?? [given.option]
      return !rivals.contains(where: has)
    }
    options = added + options
  }

  /// The operands after the URL.
  var items: ArraySlice<String> {
    let place = command.operands.firstIndex { $0.hasPrefix("[ITEM") }
    return place.map { operands.dropFirst($0) } ?? []
  }

  /// True for a method with a body, which may be piped to the command.
  func readsPipe(with method: HTTPMethod?) -> Bool {
    guard let method, [.post, .put, .patch].contains(method) else { return false }
    return accepts(.ignoreInput) && !has(.ignoreInput) && !has(.asQuery)
  }

  /// Removes the operands after the first ones that are URLs with a scheme, and returns them.
  mutating func takeURLs(after count: Int) -> [String] {
    let rest = operands.dropFirst(count)
    let urls = rest.filter { $0.contains("://") && RequestItem.separator(in: $0)?.text == ":" }
    operands = operands.prefix(count) + rest.filter { !urls.contains($0) }
    return urls
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
    let whole = text.prefix { $0 != "=" }
    if whole.count > 2, command.options.contains(where: { $0.long.map { $0 == whole } ?? false }) {
      throw UsageError(
        "errand \(command.name) has no option -\(whole)", hint: "Did you mean --\(whole)?")
    }
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

/// A command line of `--name value` pairs and `--flag`s.
public struct Arguments: Sendable {
  /// An error in the command line.
  public struct Wrong: Error, CustomStringConvertible {
    /// The reason, as a sentence.
    public let description: String
    /// Creates an error with a reason.
    public init(description: String) { self.description = description }
  }

  private var values: [String: String] = [:]
  private var flags: Set<String> = []

  /// Parses the arguments of this process.
  /// - Parameters:
  ///   - names: The options that take a value.
  ///   - known: The options without a value.
  public init(_ names: [String], flags known: [String] = []) throws {
    var rest = CommandLine.arguments.dropFirst()
    while let word = rest.popFirst() {
      let name = String(word.drop { $0 == "-" })
      if known.contains(name) {
        flags.insert(name)
      } else if names.contains(name), let value = rest.popFirst() {
        values[name] = value
      } else {
        let usage = (names.map { "--\($0) VALUE" } + known.map { "--\($0)" }).joined(separator: "  ")
        throw Wrong(
          description: "unknown argument \(word), or its value is missing. The options are: \(usage)")
      }
    }
  }

  /// The value of an option; nil if it is not given.
  public subscript(name: String) -> String? { values[name] }

  /// Returns true if a flag is given.
  public func has(_ flag: String) -> Bool { flags.contains(flag) }

  /// Returns the value of a required option.
  public func need(_ name: String) throws -> String {
    guard let value = values[name] else { throw Wrong(description: "--\(name) is missing") }
    return value
  }

  /// Returns the value of an option as a whole number above zero.
  public func number(_ name: String, default value: Int) throws -> Int {
    guard let text = values[name] else { return value }
    guard let number = Int(text), number > 0 else {
      throw Wrong(description: "--\(name) takes a number, not \(text)")
    }
    return number
  }
}

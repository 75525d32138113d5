import ErrandCore

/// An argument after the URL: a header field, or a part of the query or the body, as HTTPie writes them.
enum RequestItem: Sendable, Hashable {
  case field(String)
  case query(NameAndValue)
  /// A member of the JSON object that is sent.
  case member(name: String, Value)
  /// A file in a multipart form.
  case file(name: String, path: String)

  enum Value: Sendable, Hashable {
    case text(String)
    /// JSON, which has been checked.
    case json(String)
    case textFile(path: String)
    case jsonFile(path: String)
  }

  /// The separators; of two at one position the longer one counts, so it is listed first.
  private static let separators = [":=@", "==@", ":=", "==", "=@", ":@", "=", "@", ":"]

  init(_ text: String) throws(UsageError) {
    guard let found = Self.separator(in: text) else {
      let isEmptyField = text.hasSuffix(";") && ASCII.isToken(String(text.dropLast()))
      guard isEmptyField else {
        throw UsageError(
          "unexpected argument \(text.quotedWithoutSecrets)",
          hint:
            "An argument after the URL is X-Field:value, name==value, name=value, name:=JSON or name@file.")
      }
      self = .field(text)
      return
    }
    let (name, value) = (found.name, found.value)
    guard !name.isEmpty else {
      throw UsageError(
        "an argument after the URL has no name before \(found.text)",
        hint: found.text == "@" ? "To send a file as the body: -d @FILE." : nil)
    }
    switch found.text {
    case ":": self = .field("\(name):\(value)")
    case ":@": self = .field("\(name):\(try ValueParser.text(in: value, for: text))")
    case "==": self = .query(NameAndValue(name: name, value: value))
    case "==@":
      self = .query(NameAndValue(name: name, value: try ValueParser.text(in: value, for: text)))
    case "=": self = .member(name: name, .text(value))
    case "=@": self = .member(name: name, .textFile(path: value))
    case ":=@": self = .member(name: name, .jsonFile(path: value))
    case "@": self = .file(name: name, path: value)
    default:
      try JSONSyntax.check(value.utf8, of: "\(name):=")
      self = .member(name: name, .json(value))
    }
  }

  /// Returns the first separator, with the name before it and the value after it. A backslash takes the meaning
  /// from the character that follows it.
  static func separator(in text: String) -> (text: String, name: String, value: String)? {
    var name = ""
    var rest = text[...]
    while let character = rest.first {
      if character == "\\", let next = rest.dropFirst().first, ":=@\\".contains(next) {
        name.append(next)
        rest = rest.dropFirst(2)
      } else if let separator = separators.first(where: { rest.hasPrefix($0) }) {
        return (separator, name, String(rest.dropFirst(separator.count)))
      } else {
        name.append(character)
        rest = rest.dropFirst()
      }
    }
    return nil
  }
}

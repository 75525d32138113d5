import ErrandCore

/// The syntax of `-F`, as curl has it: `name=TEXT`, `name=@FILE` or `name=<FILE`, after which `;type=TYPE` and
/// `;filename=NAME` may follow. A word may be in double quotes, in which `\"` is a quote and `\\` a backslash.
enum FormSyntax {
  private static let keys = ["type=", "filename=", "headers=", "encoder="]

  static func part(_ text: String) throws(UsageError) -> BodyArgument.Part {
    let pair = try ValueParser.pair(text, for: .part)
    let name = pair.name
    var rest = pair.value[...]
    let mark = rest.first.flatMap { "@<".contains($0) ? $0 : nil }
    if mark != nil { rest.removeFirst() }
    if mark == nil, rest.hasPrefix("(") {
      throw UsageError(
        "-F \(name)=( would begin a form in the form, which errand does not send",
        hint: "For text that begins with a parenthesis: -F '\(name)=\"(...\"'.")
    }
    let content = try word(&rest, name)
    var (type, fileName): (String?, String?)
    while let (key, value) = key(rest) {
      rest = value
      switch key {
      case "type=":
        let text = try word(&rest, name)
        guard text.contains("/") else {
          throw UsageError("-F \(name): ;type= takes a media type, such as text/csv")
        }
        type = text
      case "filename=": fileName = try word(&rest, name)
      default: throw UsageError("-F \(name): errand has no ;\(key), so nothing was sent")
      }
    }
    guard let mark else { return .field(NameAndValue(name: name, value: content), type, fileName: fileName) }
    if content.isEmpty { throw UsageError("-F \(name)=\(mark) needs a file name") }
    let path = content == "-" ? "/dev/stdin" : content
    if mark == "@" {
      return .file(
        name: name, path: path, type: type, fileName: fileName ?? (content == "-" ? content : nil))
    }
    if fileName != nil {
      throw UsageError("-F \(name)=<FILE is text without a file name", hint: "To send a file: \(name)=@FILE.")
    }
    return .textFile(name: name, path: path, type)
  }

  /// Takes a word in quotes, or else everything before the next key.
  private static func word(_ rest: inout Substring, _ name: String) throws(UsageError) -> String {
    if let (word, after) = quoted(rest) {
      rest = after.drop { $0 == " " }
      guard rest.isEmpty || key(rest) != nil else {
        throw UsageError(
          "-F \(name)=... has text after the quote that ends its value",
          hint: #"In quotes, \" is a quote, and \\ is a backslash."#)
      }
      return word
    }
    let end = rest.indices.first { rest[$0] == ";" && key(rest[$0...]) != nil } ?? rest.endIndex
    defer { rest = rest[end...] }
    return String(rest[..<end])
  }

  /// Returns the word in the quotes at the beginning of the text; nil if it has none, or they are not closed.
  private static func quoted(_ text: Substring) -> (word: String, after: Substring)? {
    guard text.first == "\"" else { return nil }
    var word = ""
    var rest = text.dropFirst()
    while let next = rest.popFirst() {
      if next == "\"" { return (word, rest) }
      if next == "\\", let escaped = rest.first, "\"\\".contains(escaped) {
        rest.removeFirst()
        word.append(escaped)
      } else {
        word.append(next)
      }
    }
    return nil
  }

  /// Returns the key that follows a semicolon at the beginning of the text, and the text of its value.
  private static func key(_ text: Substring) -> (key: String, value: Substring)? {
    guard text.first == ";" else { return nil }
    let text = text.dropFirst().drop { $0 == " " }
    return keys.first { text.hasPrefix($0) }.map { ($0, text.dropFirst($0.count)) }
  }
}

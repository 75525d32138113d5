/// The body that the command line asks for.
enum BodyArgument: Sendable, Hashable {
  enum Part: Sendable, Hashable {
    case field(NameAndValue)
    case file(name: String, path: String)
  }

  static let formType = "application/x-www-form-urlencoded"
  static let jsonType = "application/json"

  case none
  case text(String, contentType: String)
  /// Data that is not UTF-8.
  case bytes([UInt8], contentType: String)
  /// The contents of a file. If the content type is nil, the file's name determines it.
  case file(path: String, contentType: String?)
  case standardInput(contentType: String)
  case form([NameAndValue])
  case multipart([Part])

  /// True for JSON that comes from a file or from standard input.
  var isJSON: Bool {
    switch self {
    case .standardInput(let type): type == Self.jsonType
    case .file(_, let type): type == Self.jsonType
    case .none, .text, .bytes, .form, .multipart: false
    }
  }

  init(_ arguments: ScannedArguments) throws(UsageError) {
    let kinds = [OptionSpec.data, .json, .form, .part].filter(arguments.has)
    if kinds.count > 1 {
      throw UsageError("\(kinds[0].name) and \(kinds[1].name) both set the body; use one of them")
    }
    switch kinds.first {
    case OptionSpec.data: try self.init(data: arguments.values(.data))
    case OptionSpec.json: try self.init(json: arguments.values(.json))
    case OptionSpec.form:
      var items: [NameAndValue] = []
      for text in arguments.values(.form) { items.append(try ValueParser.pair(text, for: .form)) }
      self = .form(items)
    case OptionSpec.part:
      var parts: [Part] = []
      for text in arguments.values(.part) {
        let pair = try ValueParser.pair(text, for: .part)
        parts.append(
          pair.value.hasPrefix("@")
            ? .file(name: pair.name, path: String(pair.value.dropFirst())) : .field(pair))
      }
      self = .multipart(parts)
    default: self = .none
    }
  }

  private init(data: [String]) throws(UsageError) {
    if data.count == 1 {
      self = try Self.source(data[0], type: Self.formType, fileType: nil, option: .data)
      return
    }
    guard data.allSatisfy({ $0 != "-" && !$0.hasPrefix("@") }) else {
      throw UsageError("several -d can only be joined if none of them is @FILE or -")
    }
    self = Self.literal(data.joined(separator: "&"), Self.formType)
  }

  private init(json: [String]) throws(UsageError) {
    guard json.count == 1 else { throw UsageError("--json can be given only once") }
    self = try Self.source(json[0], type: Self.jsonType, fileType: Self.jsonType, option: .json)
    if case .text(let text, _) = self { try JSONSyntax.check(text.utf8) }
  }

  private static func literal(_ text: String, _ type: String) -> BodyArgument {
    guard ArgumentBytes.isEscaped(text) else { return .text(text, contentType: type) }
    let bytes = ArgumentBytes.bytes(of: text)
    return String(validating: bytes, as: UTF8.self).map { .text($0, contentType: type) }
      ?? .bytes(bytes, contentType: type)
  }

  private static func source(
    _ text: String, type: String, fileType: String?, option: OptionSpec
  ) throws(UsageError) -> BodyArgument {
    if text == "-" || text == "@-" { return .standardInput(contentType: type) }
    guard text.hasPrefix("@") else { return literal(text, type) }
    guard text.count > 1 else { throw UsageError("\(option.name) @ needs a file name: \(option.name) @FILE") }
    return .file(path: String(text.dropFirst()), contentType: fileType)
  }
}

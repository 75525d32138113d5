import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The body that the command line asks for.
enum BodyArgument: Sendable, Hashable {
  enum Part: Sendable, Hashable {
    case field(NameAndValue, String? = nil, fileName: String? = nil)
    /// The text of a file.
    case textFile(name: String, path: String, String? = nil)
    case file(name: String, path: String, type: String? = nil, fileName: String? = nil)
  }

  struct Member: Sendable, Hashable {
    let name: String
    let value: RequestItem.Value
  }

  static let formType = "application/x-www-form-urlencoded"
  static let jsonType = "application/json"

  case none
  case text(String, contentType: String)
  /// Data that is not UTF-8.
  case bytes([UInt8], contentType: String)
  /// The contents of a file. If the content type is nil, the file's name determines it.
  case file(path: String, contentType: String?)
  /// If the content type is nil, it is JSON's if the input is JSON.
  case standardInput(contentType: String?)
  /// A JSON object with these members in order.
  case object([Member])
  case form([NameAndValue])
  case multipart([Part])

  /// True for JSON that comes from a file or from standard input.
  var isJSON: Bool {
    switch self {
    case .standardInput(let type): type == Self.jsonType
    case .file(_, let type): type == Self.jsonType
    case .none, .text, .bytes, .form, .multipart, .object: false
    }
  }

  /// - Parameter items: The items of the body after the URL.
  init(_ arguments: ScannedArguments, items: [RequestItem] = []) throws(UsageError) {
    let texts = [OptionSpec.data, .dataRaw, .dataBinary, .dataEncoded].filter(arguments.has)
    let kinds = [OptionSpec.json, .form, .part, .uploadFile].filter(arguments.has) + texts.prefix(1)
    if kinds.count > 1 || (!kinds.isEmpty && !items.isEmpty) {
      let other = kinds.count > 1 ? kinds[1].name : "an argument after the URL"
      throw UsageError("\(kinds[0].name) and \(other) both set the body; use one of them")
    }
    guard items.isEmpty else {
      self = try Self.body(of: items)
      return
    }
    switch kinds.first {
    case OptionSpec.data, OptionSpec.dataRaw, OptionSpec.dataBinary, OptionSpec.dataEncoded:
      try self.init(data: arguments.options.filter { texts.contains($0.option) })
    case OptionSpec.json: try self.init(json: arguments.values(.json))
    case OptionSpec.uploadFile:
      let path = try ValueParser.file(arguments.last(.uploadFile), for: .uploadFile) ?? "-"
      self =
        path == "-"
        ? .standardInput(contentType: "application/octet-stream") : .file(path: path, contentType: nil)
    case OptionSpec.form:
      var items: [NameAndValue] = []
      for text in arguments.values(.form) { items.append(try ValueParser.pair(text, for: .form)) }
      self = .form(items)
    case OptionSpec.part:
      var parts: [Part] = []
      for text in arguments.values(.part) { parts.append(try FormSyntax.part(text)) }
      self = .multipart(parts)
    default: self = .none
    }
  }

  private static func body(of items: [RequestItem]) throws(UsageError) -> BodyArgument {
    let files = items.count { if case .file = $0 { true } else { false } }
    guard files == 0 else {
      var parts: [Part] = []
      for item in items {
        if let part = try part(item, isOnlyFile: files == 1) { parts.append(part) }
      }
      return .multipart(parts)
    }
    var members: [Member] = []
    for case .member(let name, let value) in items {
      let shown = name.quotedWithoutSecrets
      if name.contains(where: { "[]".contains($0) }) {
        throw UsageError(
          "\(shown) would be a member of an object or a list, which errand does not build",
          hint: "Give the JSON: name:='[1, 2]' for one member, or --json for all.")
      }
      if members.contains(where: { $0.name == name }) {
        throw UsageError(
          "the member \(shown) is given twice",
          hint: "For a list: \(name):='[1, 2]'. For other JSON: --json JSON.")
      }
      members.append(Member(name: name, value: value))
    }
    return .object(members)
  }

  private static func part(_ item: RequestItem, isOnlyFile: Bool) throws(UsageError) -> Part? {
    switch item {
    case .file(let name, let path): return .file(name: name, path: path)
    case .member(let name, .text(let text)): return .field(NameAndValue(name: name, value: text))
    case .member(let name, .textFile(let path)): return .textFile(name: name, path: path)
    case .member(let name, .json), .member(let name, .jsonFile):
      throw UsageError(
        "\(isOnlyFile ? "a file makes" : "files make") the body a form, whose values are text",
        hint: "Use \(name)=value, or \(name)@file.")
    case .field, .query: return nil
    }
  }

  private init(data: [ScannedArguments.Given]) throws(UsageError) {
    var texts: [String] = []
    for given in data {
      switch given.option {
      case .dataRaw: texts.append(given.value)
      case .dataEncoded: texts.append(try Self.encoded(given.value))
      default:
        if data.count == 1 {
          self = try Self.source(given.value, type: Self.formType, fileType: nil, option: given.option)
          return
        }
        guard given.value != "-", !given.value.hasPrefix("@") else {
          throw UsageError("several -d can only be joined if none of them is @FILE or -")
        }
        texts.append(given.value)
      }
    }
    self = Self.literal(texts.joined(separator: "&"), Self.formType)
  }

  /// Encodes the value of `name=value`, `=value` or `value`, or the file in `name@file` or `@file`, as curl does.
  private static func encoded(_ text: String) throws(UsageError) -> String {
    guard let place = text.firstIndex(of: "=") ?? text.firstIndex(of: "@") else { return escaped(text.utf8) }
    let (name, rest) = (text[..<place], text[text.index(after: place)...])
    let value = text[place] == "=" ? escaped(rest.utf8) : escaped(try contents(of: String(rest)))
    return name.isEmpty ? value : "\(name)=\(value)"
  }

  static func escaped(_ bytes: some Sequence<UInt8>) -> String {
    bytes.map { URLBytes.isUnreserved($0) ? String(UnicodeScalar($0)) : URLBytes.escaped($0) }.joined()
  }

  private static func contents(of path: String) throws(UsageError) -> Data {
    guard !path.isEmpty, path != "-" else {
      throw UsageError("--data-urlencode needs the name of a file after @", hint: "Text with an @: =text.")
    }
    do {
      return try FileDescriptor.contents(of: path, limit: 16 << 20)
    } catch {
      throw UsageError("--data-urlencode: \(error)", hint: "Text with an @: =text.")
    }
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

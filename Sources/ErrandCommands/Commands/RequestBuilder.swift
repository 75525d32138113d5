import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Builds the request that the command line describes.
struct RequestBuilder {
  let transfer: Transfer
  let login: Login
  let console: Console
  /// Keeps a long input in a file, so that it can be read again.
  let spool: SpooledInput
  /// True to send a long input while it arrives, which is possible only once.
  let streams: Bool

  func request() async throws -> Request {
    var request = Request(transfer.method, transfer.url)
    for item in transfer.query { request = request.query(item.name, item.value) }
    for field in transfer.fields {
      // The cookies of the command line are sent with those of the file.
      if login.cookies != nil, ASCII.equalIgnoringCase(field.name, "Cookie") { continue }
      request.fields.append(field.name, field.value)
    }
    if let value = login.authorization {
      request.fields.append("Authorization", value.text, isSecret: true)
    }
    if !streams, let timeout = transfer.timeout { request = request.timeout(timeout) }
    if !streams, let timeout = transfer.connectTimeout { request = request.connectTimeout(timeout) }
    if let version = transfer.httpVersion { request = request.httpVersion(version) }
    if transfer.isCompressed { request = request.compressed() }
    // Sending will report the invalid URL, so the body need not be read.
    guard request.url != nil else { return request }
    request.body = try await body()
    if request.body.contentType == "application/json", !request.fields.contains("Accept"),
      !transfer.omits("Accept")
    {
      request.fields.append("Accept", "application/json")
    }
    if transfer.omits("Content-Type") { request.body = request.body.withoutContentType }
    return request
  }

  private func body() async throws -> RequestBody {
    switch transfer.body {
    case .none where transfer.readsPipe && PipedInput.isGiven:
      var input = try PipedInput.standard
      input.onSilence = { [console] in
        console.say("errand: waiting for standard input; --ignore-stdin sends no body")
      }
      let body = try await body(of: input, nil)
      // Nothing was piped, as in a script that runs without input.
      return body.length == 0 ? .none : body
    case .none: return .none
    case .text(let text, let type): return .text(text, contentType: type)
    case .bytes(let bytes, let type): return .bytes(Data(bytes), contentType: type)
    case .file(let path, let type):
      if let input = try PipedInput(path) { return try await body(of: input, type ?? Self.plainType) }
      if type == BodyArgument.jsonType { try Self.checkJSON(in: path, shown: path) }
      return .file(URL(literalPath: path), contentType: type)
    case .standardInput(let type): return try await body(of: PipedInput.standard, type)
    case .object(let members):
      return .bytes(Data(try object(members).utf8), contentType: BodyArgument.jsonType)
    case .form(let items): return .form(items.map { ($0.name, $0.value) })
    case .multipart(let parts):
      var form = MultipartForm()
      for part in parts {
        switch part {
        case .field(let pair, nil, fileName: nil): form = form.field(pair.name, pair.value)
        case .field(let pair, let type, let fileName):
          form = form.bytes(
            pair.name, Data(pair.value.utf8), fileName: fileName, contentType: type ?? "text/plain")
        case .textFile(let name, let path, let type):
          let text = try Self.text(in: path)
          form =
            type.map { form.bytes(name, Data(text.utf8), contentType: $0) } ?? form.field(name, text)
        case .file(let name, let path, let type, let fileName):
          form = try await adding(path, as: name, type, fileName, to: form)
        }
      }
      return .multipart(form)
    }
  }

  private static let plainType = "application/octet-stream"

  /// - Parameter type: The content type; nil for JSON's if the input is JSON of at most 1 MiB.
  private func body(of input: PipedInput, _ type: String?) async throws -> RequestBody {
    let body =
      streams
      ? try await input.body(contentType: type ?? Self.plainType)
      : try await spool.body(input, contentType: type ?? Self.plainType)
    if type == BodyArgument.jsonType, !streams { try Self.checkJSON(body) }
    guard type == nil, case .bytes(let data) = body.layout, (try? JSONSyntax.check(data)) != nil else {
      return body
    }
    return .bytes(data, contentType: BodyArgument.jsonType)
  }

  private func adding(
    _ path: String, as name: String, _ type: String?, _ fileName: String?, to form: MultipartForm
  ) async throws -> MultipartForm {
    guard let input = try PipedInput(path) else {
      return form.file(name, at: URL(literalPath: path), fileName: fileName, contentType: type)
    }
    let fileName = fileName ?? URL(literalPath: path).lastPathComponent
    switch try await spool.body(input, contentType: Self.plainType).layout {
    case .bytes(let data):
      return form.bytes(name, data, fileName: fileName, contentType: type ?? Self.plainType)
    case .file(let spooled):
      return form.file(
        name, at: URL(literalPath: spooled), fileName: fileName, contentType: type ?? Self.plainType)
    default: return form
    }
  }

  /// Returns a JSON object whose members keep their order, and their numbers all digits.
  private func object(_ members: [BodyArgument.Member]) throws -> String {
    let texts = try members.map { member in
      let value =
        switch member.value {
        case .text(let text): JSONText.quoted(text)
        case .json(let text): text
        case .textFile(let path): JSONText.quoted(try Self.text(in: path))
        case .jsonFile(let path): try Self.json(in: path, of: "\(member.name):=@\(path)")
        }
      return "\(JSONText.quoted(member.name)): \(value)"
    }
    return "{\(texts.joined(separator: ", "))}"
  }

  private static func text(in path: String) throws -> String {
    guard let text = String(validating: try FileDescriptor.contents(of: path, limit: 16 << 20), as: UTF8.self)
    else {
      throw UsageError("the file \(path) is not UTF-8, so it cannot be a text value")
    }
    return text
  }

  private static func json(in path: String, of item: String) throws -> String {
    let text = try text(in: path)
    try JSONSyntax.check(text.utf8, of: item)
    return text
  }

  /// Checks that a body is JSON before any of it is sent.
  private static func checkJSON(_ body: RequestBody) throws {
    switch body.layout {
    case .bytes(let data): try JSONSyntax.check(data)
    case .file(let path): try checkJSON(in: path, shown: nil)
    default: break
    }
  }

  private static func checkJSON(in path: String, shown: String?) throws {
    let file = try FileDescriptor(reading: path)
    let length = try file.length()
    var syntax = JSONSyntax()
    do {
      for offset in stride(from: 0, to: length, by: 1 << 16) {
        try syntax.read(try file.read(Int(min(1 << 16, length - offset)), at: offset))
      }
      try syntax.finish()
    } catch let fault as JSONSyntax.Fault {
      throw UsageError(fault, of: "--json" + (shown.map { " @\($0)" } ?? ""))
    }
  }
}

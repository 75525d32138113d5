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
  /// Spools a long standard input to a file, so that it can be read again; nil to stream it.
  var spool: SpooledInput?

  func request() async throws -> Request {
    var request = Request(transfer.method, transfer.url)
    for item in transfer.query { request = request.query(item.name, item.value) }
    for field in transfer.fields { request.fields.append(field.name, field.value) }
    if let value = login.authorization {
      request.fields.append("Authorization", value.text, isSecret: true)
    }
    if spool != nil, let timeout = transfer.timeout { request = request.timeout(timeout) }
    if transfer.wantsHTTP2 { request = request.httpVersion(.http2) }
    if transfer.isCompressed { request = request.compressed() }
    // Sending reports what is wrong with the URL; the body need not be read for that.
    guard request.url != nil else { return request }
    request.body = try await body()
    if request.body.contentType == "application/json", !request.fields.contains("Accept") {
      request.fields.append("Accept", "application/json")
    }
    return request
  }

  private func body() async throws -> Body {
    switch transfer.body {
    case .none: return .none
    case .text(let text, let type): return .text(text, contentType: type)
    case .file(let path, let type):
      if type == BodyArgument.jsonType { try Self.checkJSON(in: path, shown: path) }
      return .file(URL(filePath: path), contentType: type)
    case .standardInput(let type):
      guard let spool else { return try await StandardInput.body(contentType: type) }
      let body = try await spool.body(contentType: type)
      if type == BodyArgument.jsonType { try Self.checkJSON(body) }
      return body
    case .form(let items): return .form(items.map { ($0.name, $0.value) })
    case .multipart(let parts):
      return .multipart(
        parts.reduce(MultipartForm()) { form, part in
          switch part {
          case .field(let pair): form.field(pair.name, pair.value)
          case .file(let name, let path): form.file(name, at: URL(filePath: path))
          }
        })
    }
  }

  /// Checks a body before anything of it is sent.
  private static func checkJSON(_ body: Body) throws {
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
      throw UsageError(fault, in: shown)
    }
  }
}

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension Exchange.Request {
  /// Makes the only kind of request that a transport accepts: puts together what interceptors, redirects,
  /// bodies and files made of a request, and checks it.
  /// - Throws: `RequestError(.invalidRequest)`, if the request would not be sent as it is meant.
  init(
    _ request: Request, _ upload: Upload, timeout: Duration, connectTimeout: Duration? = nil,
    mayBeRepeated: Bool
  ) throws(RequestError) {
    let fields = request.wireFields
    if let problem = request.problem(with: fields) ?? request.address.userProblem ?? request.credentialProblem
    {
      throw RequestError(.invalidRequest, message: problem, reachedServer: false)
    }
    guard let url = request.url else { preconditionFailure("an address without a problem is a URL") }
    self.init(
      checked: request.method, url, isSecure: request.address.isSecure, fields, upload, timeout,
      connectTimeout, request.options.httpVersion, mayBeRepeated: mayBeRepeated,
      decodesContent: request.options.responseFilters.isEmpty)
  }
}

extension Request {
  /// The reason why the request must not be sent with its credential, or nil: `SigningStage` takes off one for another
  /// origin before.
  fileprivate var credentialProblem: String? {
    guard let credential = options.credential, credential.isForeign(to: self) else { return nil }
    return "its credential is for \(credential.origin), and it leads to \(address.originName)"
  }

  /// The maximum number of bytes of method, URL and header fields together: libcurl sends no head of 1 MiB,
  /// and adds to it.
  package static let headLimit = 512 << 10

  /// The reason why the request cannot be sent, or nil.
  package var problem: String? { problem(with: wireFields) }

  /// The header fields as they are sent: with those that describe the body, and no spaces around a value.
  var wireFields: HTTPFields {
    var fields = fields
    // A signed request has them, unless its signer has removed them.
    if options.signingPass?.isSigned == true {
      fields.trimValues()
      return fields
    }
    if let type = body.contentType, !fields.contains("Content-Type") { fields.append("Content-Type", type) }
    if options.compressesBody || options.bodyCoding != nil, !body.isNone {
      var codings = options.compressesBody ? ["gzip"] : fields.values(of: "Content-Encoding")
      if let coding = options.bodyCoding { codings.append(coding.value.name) }
      fields.set("Content-Encoding", codings.joined(separator: ", "))
    }
    for filter in options.responseFilters { filter.value.prepare(&fields) }
    fields.trimValues()
    return fields
  }

  fileprivate func problem(with fields: HTTPFields) -> String? {
    if let problem = address.problem { return problem }
    if !ASCII.isToken(method.rawValue) {
      return "the method \(method.rawValue.prefix(100).debugDescription) is not a token"
    }
    if method.rawValue == "CONNECT" { return "CONNECT opens a tunnel and is no request" }
    if let problem = body.problem { return problem }
    var size = method.rawValue.utf8.count + address.text.utf8.count
    if let problem = fields.problem(addingTo: &size) { return problem }
    return size > Self.headLimit
      ? "method, URL and fields have \(size) bytes, and at most \(Self.headLimit) are sent" : nil
  }
}

extension Address {
  fileprivate var userProblem: String? {
    hasUser ? "a user or a password in a URL is not sent; set Authorization" : nil
  }
}

extension HTTPFields {
  /// Returns the reason why the first invalid header field may not be sent, or nil.
  /// - Parameter size: The number of bytes before the fields, to which theirs are added.
  fileprivate func problem(addingTo size: inout Int) -> String? {
    var hasHost = false
    // By their numbers, because a loop over the fields copies each.
    for index in indices {
      // Each line has a colon, a space and a line end.
      size += self[index].name.utf8.count + self[index].value.utf8.count + 4
      if self[index].marks.isDisjoint(with: .suspect) { continue }
      if let problem = self[index].problem { return problem }
      if hasHost { return Field.problemOfHost }
      hasHost = true
    }
    return nil
  }
}

extension HTTPFields.Field {
  fileprivate static let problemOfHost = "there is one Host, and it is a host and perhaps a port"

  /// The reason why no request may have the line, or nil.
  fileprivate var problem: String? {
    if marks.contains(.badName) {
      return "the field name \(name.prefix(100).debugDescription) is not a token"
    }
    if marks.contains(.badValue) {
      return "the value of the field \(name.prefix(100)) contains a control character, as CR, LF or NUL"
    }
    if marks.contains(.framing) { return "\(name) is told from the body and cannot be set" }
    return !marks.contains(.host) || Self.isHost(value) ? nil : Self.problemOfHost
  }

  private static func isHost(_ text: String) -> Bool {
    // Neither a name that is not in ASCII nor the zone of an address is sent.
    guard text.utf8.allSatisfy({ $0 < 0x80 && $0 != UInt8(ascii: "%") }),
      let authority = try? URLAuthority(Array(text.utf8)[...])
    else { return false }
    return authority.user == nil && !authority.host.isEmpty
  }
}

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension Exchange.Request {
  /// Creates the only kind of request that a transport accepts. It checks the request last, with all changes
  /// by interceptors, redirects and bodies.
  /// - Throws: `RequestError(.invalidRequest)`, if the request cannot be sent exactly as it is.
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
      decodesContent: !request.options.hasStages || request.options.decodesContent)
  }
}

extension Request {
  /// The reason why the request must not be sent with its credential; nil if it may be sent. `SigningStage`
  /// has removed a credential for another origin before this check.
  fileprivate var credentialProblem: String? {
    guard let credential = options.credential, credential.isForeign(to: self) else { return nil }
    return "its credential is for \(credential.origin), but the request goes to \(address.originName)"
  }

  /// The most bytes of method, URL and header fields together. libcurl sends no head of 1 MiB, and adds
  /// fields to the head.
  package static let headLimit = 512 << 10

  /// The reason why the request cannot be sent; nil if it can be sent.
  package var problem: String? { problem(with: wireFields) }

  /// The header fields as they are sent: with fields that describe the body, and without spaces around values.
  var wireFields: HTTPFields {
    // Not stored: it is computed for the check and again to be sent, because a signer, an interceptor or a redirect
    // may change the request in between.
    var fields = fields
    // A signed request has the body's fields already, unless its signer has removed them.
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
      return "the method \(method.rawValue.prefix(100).debugDescription) is not a token; use one such as GET"
    }
    if method.rawValue == "CONNECT" { return "CONNECT opens a tunnel, and cannot be sent as a request" }
    if let problem = body.problem { return problem }
    var size = method.rawValue.utf8.count + address.text.utf8.count
    if let problem = fields.problem(addingTo: &size) { return problem }
    return size > Self.headLimit
      ? "its method, URL and header fields have \(size) bytes, but at most \(Self.headLimit) are sent" : nil
  }
}

extension Address {
  fileprivate var userProblem: String? {
    hasUser ? "its URL has a user or a password, which is not sent; set Authorization instead" : nil
  }
}

extension HTTPFields {
  /// Returns the problem of the first invalid header field; nil if all fields are valid.
  /// - Parameter size: The number of bytes before the fields. The bytes of the fields are added to it.
  fileprivate func problem(addingTo size: inout Int) -> String? {
    var hasHost = false
    // Indices, because a loop over the fields would copy each field.
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
  fileprivate static let problemOfHost = "a request has one Host field, with a host and optionally a port"

  /// The reason why no request may have the field; nil if it is valid.
  var problem: String? {
    if marks.contains(.badName) {
      return "the header field name \(name.prefix(100).debugDescription) is not a token"
    }
    if marks.contains(.badValue) {
      return "the value of the header field \(name.prefix(100)) contains a control character, "
        + "such as CR, LF or NUL"
    }
    if marks.contains(.framing) { return "\(name) follows from the body, and cannot be set" }
    return !marks.contains(.host) || Self.isHost(value) ? nil : Self.problemOfHost
  }

  private static func isHost(_ text: String) -> Bool {
    // A Host field has neither names outside ASCII nor the zone of an address.
    guard text.utf8.allSatisfy({ $0 < 0x80 && $0 != UInt8(ascii: "%") }),
      let authority = try? URLAuthority(Array(text.utf8)[...])
    else { return false }
    return authority.user == nil && !authority.host.isEmpty
  }
}

public import Errand
public import HTTPTypes

extension Request {
  /// Makes a request from its head and a body.
  ///
  /// `scheme`, `authority` and `path` are joined and not changed; the path keeps its percent-encoding. Without a scheme and
  /// an authority, the URL is relative to `ClientConfiguration.baseURL`; without a path, it is the origin's root.
  /// `Content-Length` and `Transfer-Encoding` are left out, because they follow from the body. A head that is not that of a
  /// request to a URL, such as `OPTIONS *` or an extended CONNECT, throws an error when it is sent.
  /// - Parameters:
  ///   - head: The head of the request.
  ///   - body: The body. Default: none.
  public init(_ head: HTTPRequest, body: RequestBody = .none) {
    var fields = head.headerFields
    for name in [HTTPField.Name.contentLength, .transferEncoding] { fields[name] = nil }
    self.init(
      HTTPMethod(head.method.rawValue), HeadURL(head), fields: Errand.HTTPFields(fields), body: body)
  }
}

/// The URL of a request's head.
private struct HeadURL: URLConvertible {
  let urlText: String
  let urlProblem: String?

  init(_ head: HTTPRequest) {
    let path = head.path ?? ""
    switch (head.scheme, head.authority) {
    case (nil, nil): urlText = path.isEmpty ? "/" : path
    case (let scheme, let authority): urlText = "\(scheme ?? "https")://\(authority ?? "")\(path)"
    }
    urlProblem = Self.problem(head, path)
  }

  /// Returns the reason why the joined parts would be another URL; nil if they would not.
  private static func problem(_ head: HTTPRequest, _ path: String) -> String? {
    if head.extendedConnectProtocol != nil { return "an extended CONNECT cannot be sent as a request" }
    if (head.scheme == nil) != (head.authority == nil) {
      return "the request has a scheme without an authority, or an authority without a scheme"
    }
    if let authority = head.authority,
      authority.isEmpty || authority.contains(where: { "/?#@\\".contains($0) })
    {
      return "the authority of the request is not a host with an optional port"
    }
    if !path.isEmpty, !path.hasPrefix("/"), !path.hasPrefix("?") {
      return "the path of the request does not begin with a slash"
    }
    // A relative URL that begins with two slashes would name a host.
    if head.authority == nil, path.hasPrefix("//") {
      return "the path of the request begins with two slashes"
    }
    return path.contains("#") ? "the path of the request has a fragment, which is never sent" : nil
  }
}

extension HTTPRequest {
  /// Makes the head of a request, without its body and its options.
  ///
  /// Returns nil if the URL is relative or invalid, if the method is not a token, or if a header field cannot be sent.
  public init?(_ request: Request) {
    guard let url = request.url?.urlText, let mark = url.firstRange(of: "://"),
      let method = HTTPRequest.Method(request.method.rawValue),
      let fields = HTTPTypes.HTTPFields(request.fields)
    else { return nil }
    let rest = url[mark.upperBound...].prefix { $0 != "#" }
    let authority = rest.prefix { $0 != "/" && $0 != "?" }
    let path = rest[authority.endIndex...]
    self.init(
      method: method, scheme: String(url[..<mark.lowerBound]), authority: String(authority),
      path: path.hasPrefix("/") ? String(path) : "/\(path)", headerFields: fields)
  }
}

extension HTTPResponse {
  /// Makes the head of a response.
  ///
  /// Returns nil if the status has more than three digits, or if a header field has a control character.
  public init?(_ response: Errand.Response) { self.init(status: response.status, fields: response.fields) }

  /// Makes the head of a response from its parts, such as those of a `RequestError` (`rejected`).
  ///
  /// Returns nil if the status has more than three digits, or if a header field has a control character.
  public init?(status: HTTPStatus, fields: Errand.HTTPFields) {
    guard 0...999 ~= status.code, let fields = HTTPTypes.HTTPFields(fields) else { return nil }
    self.init(status: Status(code: status.code), headerFields: fields)
  }
}

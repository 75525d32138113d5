public import ErrandCore

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension AWSSigner {
  /// Returns a URL that contains its signature, so that it can be used without credentials until it expires.
  /// Keep it secret while it is valid.
  ///
  /// With a URL for S3, any body may be sent. For all other services the body is signed.
  ///
  /// - Parameters:
  ///   - url: The URL to sign. A signature that it has already is replaced.
  ///   - method: The only method that the signed URL can be used with.
  ///   - fields: Header fields that a request with the signed URL must have. `Host` is always signed.
  ///   - body: The body that is signed, for services other than S3.
  ///   - lifetime: From 1 s to 7 days. A URL that is signed with temporary credentials expires with them.
  ///   - date: The local time of the signature. The known difference to the server's clock is added to it.
  /// - Throws: `SigningError`, and the errors of the provider and of reading the body.
  public func presignedURL(
    for url: URL, method: HTTPMethod = .get, fields: HTTPFields = [:], body: RequestBody = .none,
    lifetime: Duration, date: Date = Date()
  ) async throws -> URL {
    let seconds = lifetime.components.seconds
    guard 1...604_800 ~= seconds, lifetime <= .seconds(604_800) else {
      throw SigningError(
        .invalidParameter, "a presigned URL is valid for 1 s to 7 days; give a lifetime in that range")
    }
    let target = try AWSTarget(url)
    let credentials = try await provider.credentials()
    let word = scope.isS3 ? AWSPayload.unsigned : try await AWSPayload.word(for: body, .always)
    let host = fields["Host"].map(ASCII.trimmed) ?? target.host
    let time = try AWSTimestamp(clock.date(for: host, at: date))

    var signed = HTTPFields()
    // Unsigned fields are left out, because the URL would list them as fields that requests must have.
    for field in fields where AWSCanonicalRequest.isSigned(ASCII.lowercased(field.name)) {
      signed.append(field.name, field.value, isSecret: field.isSecret)
    }
    signed.set("Host", host)
    let names = try AWSCanonicalRequest(method: method, path: "/", query: "", fields: signed, payload: word)
      .signedNames
    var items = [
      ("X-Amz-Algorithm", AWSScope.algorithm),
      ("X-Amz-Credential", "\(credentials.accessKeyID)/\(scope.text(at: time))"),
      ("X-Amz-Date", time.text), ("X-Amz-Expires", "\(seconds)"),
    ]
    if let token = credentials.sessionToken { items.append(("X-Amz-Security-Token", token)) }
    items.append(("X-Amz-SignedHeaders", names))
    let own = items.map { "\($0)=\(AWSCanonicalURL.encoded($1.utf8))" }
    let query = (Self.unsignedItems(target.query) + own).joined(separator: "&")
    let canonical = try AWSCanonicalRequest(
      method: method, path: scope.path(target), query: AWSCanonicalURL.query(query), fields: signed,
      payload: word)
    let signature = scope.signature(of: canonical, at: time, with: credentials)

    let end = url.absoluteString.utf8.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }
    let text = url.absoluteString[..<(end ?? url.absoluteString.endIndex)]
    guard let whole = URL(string: "\(text)?\(query)&X-Amz-Signature=\(signature)") else {
      throw SigningError(
        .invalidRequest, "the URL is not valid with the signature in its query; check the query")
    }
    return whole
  }

  /// Returns the items of a query without those of a signature that the URL has already.
  private static func unsignedItems(_ query: String?) -> [String] {
    let names = [
      "X-Amz-Algorithm", "X-Amz-Credential", "X-Amz-Date", "X-Amz-Expires", "X-Amz-Security-Token",
      "X-Amz-SignedHeaders", "X-Amz-Signature",
    ]
    return (query ?? "").utf8.split(separator: UInt8(ascii: "&")).compactMap { item in
      let name = URLBytes.decoded(Substring(item.prefix { $0 != UInt8(ascii: "=") }))
      return names.contains { name.elementsEqual($0.utf8) } ? nil : String(Substring(item))
    }
  }
}

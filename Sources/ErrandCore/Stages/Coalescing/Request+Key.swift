#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension Request {
  /// Returns the key that equal requests share under `rule`. Call it when the request has the form in which
  /// it will be sent.
  /// - Parameter identity: The identity and the options in the key: see `RequestIdentity`.
  /// - Throws: `RequestError`, if the body has no identity (a stream), or one of its files cannot be
  ///   examined.
  func key(
    for rule: RepeatRule, secrets: Secrets, identity: String? = nil
  ) throws(RequestError) -> RequestKey {
    // The request's own key already contains the whole URL.
    let partition = partition(rule, rule.key == nil ? nil : url, secrets: secrets, identity: identity)
    if let key = rule.key { return key.partitioned(by: partition) }
    let parts = RequestKeyParts(
      method: method, url: NormalizedURL(address.text), body: try body.identity,
      contentType: identifyingContentType.map { ExactBytes($0) },
      fields: KeyField.choose(from: fields) { field in
        rule.fields.contains { ASCII.equalIgnoringCase($0, field.name) }
      })
    return RequestKey(.parts(parts), partition: partition)
  }

  /// The `Content-Type` that is part of the key. A form's type contains its random boundary, and a request
  /// without a body has no type.
  private var identifyingContentType: String? {
    switch body.content {
    case .none, .multipart: nil
    default: fields["Content-Type"] ?? body.contentType
    }
  }

  /// Returns the fields that keep users apart. Shared responses are kept apart by HEAD and by every field
  /// that may matter. Ignored and superseded requests get no response, so only known credentials keep them
  /// apart.
  private func partition(
    _ rule: RepeatRule, _ url: URL?, secrets: Secrets, identity: String?
  ) -> [KeyField] {
    let credentials = CachePartition.parts(
      of: fields, method: rule.sharesResponses ? method : nil, url: url, user: identity, secrets: secrets
    ) { field in
      rule.sharesResponses ? field.mayMatter || secrets.covers(field) : secrets.covers(field)
    }
    return stride(from: 0, to: credentials.count, by: 2).map {
      KeyField(credentials[$0], credentials[$0 + 1])
    }
  }
}

extension RequestBody {
  fileprivate var identity: BodyIdentity {
    get throws(RequestError) {
      switch content {
      case .none: .none
      case .bytes(let data): .data(data)
      case .json: try encoded().identity
      case .file(let path): .file(try Self.identity(ofFile: path))
      case .multipart(let form): .parts(try form.identity)
      case .source(let source): .source(source)
      case .stream:
        throw RequestError(
          .invalidRequest,
          message: "a body that is a stream cannot be compared with another: give the rule a key, "
            + "or send bytes or a file",
          reachedServer: false)
      case .trailed:
        throw RequestError(
          .invalidRequest,
          message: "a body with trailers cannot be compared with another: give the rule a key, "
            + "or send the body without trailers",
          reachedServer: false)
      case .invalid(let reason):
        throw RequestError(.invalidRequest, message: reason, reachedServer: false)
      }
    }
  }

  fileprivate static func identity(ofFile path: String) throws(RequestError) -> FileIdentity {
    do throws(FileError) {
      return try FileIdentity(path)
    } catch {
      throw RequestError(
        .fileUnreadable, message: "the file to upload cannot be used: \(error)", reachedServer: false,
        underlying: error)
    }
  }
}

extension MultipartForm {
  fileprivate var identity: [BodyIdentity.Part] {
    get throws(RequestError) {
      var identities: [BodyIdentity.Part] = []
      for part in parts {
        let content: BodyIdentity =
          switch part.content {
          case .bytes(let data): .data(data)
          case .file(let path): .file(try RequestBody.identity(ofFile: path))
          }
        identities.append(BodyIdentity.Part(head: ExactBytes(part.head), content: content))
      }
      return identities
    }
  }
}

/// What a request's own key is made of.
struct RequestParts: Sendable, Hashable {
  let method: Method
  let url: NormalizedURL
  let body: BodyIdentity
  /// What `Content-Type` says of the body, if it has one.
  let contentType: String?
  /// The fields that were named to be part of it.
  let fields: [KeyField]
}

extension RequestParts: CustomStringConvertible {
  var description: String { "\(method) \(url)" }
}

/// The parts of a request's own key.
struct RequestParts: Sendable, Hashable {
  let method: Method
  let url: NormalizedURL
  let body: BodyIdentity
  /// The value of `Content-Type`, if there is a body.
  let contentType: String?
  /// The header fields that were named to be part of the key.
  let fields: [KeyField]
}

extension RequestParts: CustomStringConvertible {
  var description: String { "\(method) \(url)" }
}

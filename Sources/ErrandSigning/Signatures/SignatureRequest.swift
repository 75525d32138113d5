public import ErrandCore
public import ErrandStructuredFields

/// A request for a signature on a later message of the exchange, as in `Accept-Signature` (RFC 9421, section 5).
///
/// ```swift
/// // The server asks for signed requests, or the client for a signed response.
/// let wanted = try SignatureRequest(label: "sig1", [.status, .contentDigest, .method.ofRequest], wantsCreated: true)
/// try SignatureRequest.set([wanted], in: &fields)
///
/// for wanted in try SignatureRequest.all(in: response.fields) {
///   let signer = try MessageSigner(key, answering: wanted)
/// }
/// ```
public struct SignatureRequest: Sendable, Hashable {
  /// The label that the signature has to have.
  public let label: String
  /// The components that the signature has to cover, in the message that is to be signed.
  public let components: [MessageComponent]
  /// All parameters, in their order.
  public let parameters: StructuredParameters

  /// True if the signature has to state when it was made.
  public var wantsCreated: Bool { parameters["created"]?.boolean == true }
  /// True if the signature has to state when it expires.
  public var wantsExpires: Bool { parameters["expires"]?.boolean == true }
  /// The nonce that the signature has to have; nil if none is requested.
  public var nonce: String? { parameters["nonce"]?.string }
  /// The requested algorithm; nil to accept any.
  public var algorithm: SignatureAlgorithm? { parameters["alg"]?.string.map(SignatureAlgorithm.init) }
  /// The name of the requested key; nil to accept any.
  public var keyID: String? { parameters["keyid"]?.string }
  /// The tag that the signature has to have; nil if none is requested.
  public var tag: String? { parameters["tag"]?.string }

  /// Makes a request for a signature. Parameters that are nil are omitted.
  /// - Parameters:
  ///   - label: The label that the signature has to have.
  ///   - components: The components that the signature has to cover.
  ///   - wantsCreated: True if the signature has to state when it was made.
  ///   - keyID: The name of the requested key.
  ///   - algorithm: The requested algorithm.
  ///   - wantsExpires: True if the signature has to state when it expires.
  ///   - nonce: The nonce that the signature has to have.
  ///   - tag: The tag that the signature has to have.
  /// - Throws: `.invalidComponent`, `.duplicateComponent` or `.notSerializable`.
  public init(
    label: String, _ components: [MessageComponent], wantsCreated: Bool = false, keyID: String? = nil,
    algorithm: SignatureAlgorithm? = nil, wantsExpires: Bool = false, nonce: String? = nil, tag: String? = nil
  ) throws(SigningError) {
    try MessageSignature.checkLabel(label)
    try SignatureParameters.check(components)
    var parameters = StructuredParameters()
    parameters["created"] = wantsCreated ? true : nil
    parameters["keyid"] = keyID.map(BareItem.string)
    parameters["alg"] = (algorithm?.rawValue).map(BareItem.string)
    parameters["expires"] = wantsExpires ? true : nil
    parameters["nonce"] = nonce.map(BareItem.string)
    parameters["tag"] = tag.map(BareItem.string)
    _ = try SignatureParameters.text(of: parameters)
    (self.label, self.components, self.parameters) = (label, components, parameters)
  }

  /// The name of the field: `Accept-Signature`.
  public static let fieldName = "Accept-Signature"

  /// Returns the requests in a message's `Accept-Signature`; empty if the message lacks the field.
  /// - Throws: `.malformed`, `.invalidComponent` or `.duplicateComponent`.
  public static func all(in fields: HTTPFields) throws(SigningError) -> [SignatureRequest] {
    let members: StructuredDictionary
    do {
      members = try StructuredDictionary(parsing: fields.values(of: fieldName))
    } catch {
      throw SigningError(field: fieldName, error)
    }
    guard members.count <= SignatureLimits.signatures else {
      throw SigningError(
        .malformed,
        "\(fieldName) requests more than the \(SignatureLimits.signatures) signatures that are accepted")
    }
    var requests: [SignatureRequest] = []
    for (label, member) in members { requests.append(try SignatureRequest(label, member)) }
    return requests
  }

  private init(_ label: String, _ member: StructuredMember) throws(SigningError) {
    guard let list = member.innerList, list.count <= SignatureLimits.components else {
      throw SigningError(
        .malformed, "a member of \(Self.fieldName) has to be a list of at most 128 components")
    }
    for (name, value) in list.parameters {
      let isRight =
        switch name {
        case "created", "expires": value == .boolean(true)
        case "nonce", "alg", "keyid", "tag": value.string != nil
        default: true
        }
      guard isRight else {
        throw SigningError(
          .malformed,
          "the parameter \(name) of \(Self.fieldName) does not have the type that RFC 9421 defines")
      }
    }
    var components: [MessageComponent] = []
    for item in list { components.append(try MessageComponent(item)) }
    try SignatureParameters.check(components)
    (self.label, self.components, parameters) = (label, components, list.parameters)
  }

  /// Sets the field to these requests, and removes it if the array is empty. If several have the same label,
  /// the last is used.
  /// - Throws: `.notSerializable`.
  public static func set(_ requests: [SignatureRequest], in fields: inout HTTPFields) throws(SigningError) {
    var members: [String: String] = [:]
    var labels: [String] = []
    for request in requests {
      let value =
        try SignatureParameters.text(of: request.components)
        + SignatureParameters.text(of: request.parameters)
      if members.updateValue("\(request.label)=\(value)", forKey: request.label) == nil {
        labels.append(request.label)
      }
    }
    fields[fieldName] = labels.isEmpty ? nil : labels.compactMap { members[$0] }.joined(separator: ", ")
  }
}

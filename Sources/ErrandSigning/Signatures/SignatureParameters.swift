package import ErrandStructuredFields

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The covered components and the parameters of a signature (RFC 9421, section 2.3).
///
/// Those of a received signature are kept unchanged and in their order, including unknown parameters, because
/// the signature covers them all.
public struct SignatureParameters: Sendable, Hashable {
  /// The covered components, in the order in which they are signed.
  public let components: [MessageComponent]
  /// All parameters, in their order.
  package let parameters: StructuredParameters
  /// The components and parameters as they are written in `Signature-Input`.
  package let value: String

  /// Makes the parameters of a new signature. Those that are nil are omitted.
  /// - Parameters:
  ///   - components: The components to cover, in their order.
  ///   - created: The time of the signature, rounded down to seconds.
  ///   - keyID: The name of the key.
  ///   - algorithm: The algorithm to name.
  ///   - expires: The time at which the signature expires, rounded down to seconds.
  ///   - nonce: A value that is used only once.
  ///   - tag: The application that the signature is for.
  /// - Throws: `.invalidComponent` or `.invalidParameter`.
  package init(
    _ components: [MessageComponent], created: Date? = nil, keyID: String? = nil,
    algorithm: SignatureAlgorithm? = nil, expires: Date? = nil, nonce: String? = nil, tag: String? = nil
  ) throws(SigningError) {
    try Self.check(components)
    var parameters = StructuredParameters()
    parameters["created"] = try created.map(Self.seconds).map(BareItem.integer)
    parameters["keyid"] = keyID.map(BareItem.string)
    parameters["alg"] = (algorithm?.rawValue).map(BareItem.string)
    parameters["expires"] = try expires.map(Self.seconds).map(BareItem.integer)
    parameters["nonce"] = nonce.map(BareItem.string)
    parameters["tag"] = tag.map(BareItem.string)
    self.init(components, parameters, value: try Self.text(of: components) + Self.text(of: parameters))
  }

  /// Reads the parameters from a member of `Signature-Input`.
  /// - Throws: `.malformed`, `.invalidComponent`.
  package init(_ list: StructuredInnerList) throws(SigningError) {
    guard list.items.count <= SignatureLimits.components else {
      throw SigningError(
        .malformed,
        "a signature covers more than the \(SignatureLimits.components) components that are accepted; cover fewer"
      )
    }
    var components: [MessageComponent] = []
    for item in list.items { components.append(try MessageComponent(item)) }
    try Self.checkDuplicates(components)
    for (name, value) in list.parameters {
      let isRight =
        switch name {
        case "created", "expires": value.integer != nil
        case "nonce", "alg", "keyid", "tag": value.string != nil
        default: true
        }
      guard isRight else {
        throw SigningError(
          .malformed, "the parameter \(name) of a signature does not have the type that RFC 9421 defines")
      }
    }
    do {
      self.init(components, list.parameters, value: try list.serialized())
    } catch {
      throw SigningError(field: "Signature-Input", error)
    }
  }

  private init(_ components: [MessageComponent], _ parameters: StructuredParameters, value: String) {
    (self.components, self.parameters, self.value) = (components, parameters, value)
  }

  /// The time at which the signature was made; nil if it does not state one.
  public var created: Date? { date("created") }
  /// The time at which the signature expires; nil if it does not state one.
  public var expires: Date? { date("expires") }
  /// The value that is used only once; nil if the signature has no nonce.
  public var nonce: String? { parameters["nonce"]?.string }
  /// The algorithm that the signature names; nil if it names none.
  public var algorithm: SignatureAlgorithm? { parameters["alg"]?.string.map(SignatureAlgorithm.init) }
  /// The name of the key; nil if the signature names none.
  public var keyID: String? { parameters["keyid"]?.string }
  /// The application that the signature is for; nil if it names none.
  public var tag: String? { parameters["tag"]?.string }

  /// Returns true if the signature covers the component.
  package func covers(_ component: MessageComponent) -> Bool { components.contains(component) }

  private func date(_ name: String) -> Date? {
    parameters[name]?.integer.map { Date(timeIntervalSince1970: Double($0)) }
  }

  /// Returns the components as they are written in `Signature-Input`: in parentheses.
  static func text(of components: [MessageComponent]) -> String {
    "(\(components.map(\.identifier).joined(separator: " ")))"
  }

  /// Returns the parameters as they are written after the components.
  static func text(of parameters: StructuredParameters) throws(SigningError) -> String {
    do {
      return String(try StructuredInnerList([], parameters: parameters).serialized().dropFirst(2))
    } catch {
      throw SigningError(making: "the signature's parameters", error)
    }
  }

  /// Returns the whole seconds since 1970.
  static func seconds(_ date: Date) throws(SigningError) -> Int64 {
    let seconds = date.timeIntervalSince1970.rounded(.down)
    guard seconds.magnitude < 1e15 else {
      throw SigningError(
        .invalidParameter, "the time of a signature can have at most 15 digits of seconds since 1970")
    }
    return Int64(seconds)
  }

  static func check(_ components: [MessageComponent]) throws(SigningError) {
    for component in components { try component.check() }
    try checkDuplicates(components)
  }

  private static func checkDuplicates(_ components: [MessageComponent]) throws(SigningError) {
    var seen: Set<MessageComponent> = []
    for component in components where !seen.insert(component).inserted {
      throw SigningError(.invalidComponent, "the signature covers \(component) twice")
    }
  }
}

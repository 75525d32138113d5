public import ErrandCore
import ErrandStructuredFields

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// A signature of a message, as in `Signature-Input` and `Signature` (RFC 9421, section 4). A message can
/// have several signatures with different labels.
public struct MessageSignature: Sendable, Hashable {
  /// The name of the signature within its message. It has no further meaning.
  package let label: String
  /// The covered components and the parameters.
  @_spi(Benchmarks)
  public let parameters: SignatureParameters
  /// The bytes of the signature.
  package let bytes: Data

  /// Makes a signature from its parts.
  package init(label: String, parameters: SignatureParameters, bytes: Data) {
    (self.label, self.parameters, self.bytes) = (label, parameters, bytes)
  }

  static let inputName = "Signature-Input"
  static let signatureName = "Signature"

  /// Returns the signatures of a message, without verifying them.
  /// - Throws: `.malformed`, `.invalidComponent` if any of them is invalid.
  package static func all(in fields: HTTPFields) throws(SigningError) -> [MessageSignature] {
    var signatures: [MessageSignature] = []
    for entry in try Entry.all(in: fields) { signatures.append(try entry.signature()) }
    return signatures
  }

  /// Adds the signature to the header fields. It replaces a signature with the same label, and keeps the others.
  /// - Throws: `.invalidParameter` if the label is not a valid key of a structured field; `.malformed` if the
  ///   fields have signatures already that cannot be parsed.
  public func add(to fields: inout HTTPFields) throws(SigningError) {
    try Self.add(label, input: Array(parameters.value.utf8), bytes, to: &fields)
  }

  static func add(_ label: String, input: [UInt8], _ bytes: Data, to fields: inout HTTPFields)
    throws(SigningError)
  {
    try checkLabel(label)
    let (inputs, signatures) = try (
      others(than: label, inputName, fields), others(than: label, signatureName, fields)
    )
    var output: [UInt8] = []
    output.reserveCapacity(inputs.utf8.count + label.utf8.count + input.count + 1)
    output.append(text: inputs)
    output.append(text: label)
    output.append(FieldByte.equals)
    output += input
    fields.reserveCapacity(fields.count + 2)
    add(output, as: inputName, to: &fields)
    output.removeAll(keepingCapacity: true)
    output.append(text: signatures)
    output.append(text: label)
    output.append(text: "=:")
    output.append(base64: bytes)
    output.append(FieldByte.colon)
    add(output, as: signatureName, to: &fields)
  }

  private static func add(_ value: [UInt8], as name: String, to fields: inout HTTPFields) {
    let value = String(decoding: value, as: UTF8.self)
    if fields.contains(name) { fields.set(name, value) } else { fields.append(name, value) }
  }

  static func checkLabel(_ label: String) throws(SigningError) {
    guard let first = label.utf8.first, FieldByte.beginsKey(first), label.utf8.allSatisfy(FieldByte.isKey)
    else {
      throw SigningError(
        .invalidParameter,
        "the label of a signature has to begin with a lowercase letter or *, and to contain only those, digits, "
          + "_, - and .")
    }
  }

  /// Returns the members with other labels, followed by a comma.
  private static func others(
    than label: String, _ name: String, _ fields: HTTPFields
  ) throws(SigningError) -> String {
    guard fields.contains(name) else { return "" }
    do {
      var members = try StructuredDictionary(parsing: fields.values(of: name))
      members[label] = nil
      return try members.serialized().map { "\($0), " } ?? ""
    } catch {
      throw SigningError(field: name, error)
    }
  }
}

extension MessageSignature {
  /// A label with its parts. The components and parameters are not parsed yet, so that a verifier parses only
  /// those that it needs.
  struct Entry {
    let label: String
    private let input: StructuredInnerList
    private let bytes: Data

    static func all(in fields: HTTPFields) throws(SigningError) -> [Entry] {
      let inputs = try members(of: inputName, fields)
      let signatures = try members(of: signatureName, fields)
      guard inputs.count <= SignatureLimits.signatures, signatures.count <= SignatureLimits.signatures else {
        throw SigningError(
          .malformed,
          "the message has more than the \(SignatureLimits.signatures) signatures that are accepted; sign it with fewer labels"
        )
      }
      var entries: [Entry] = []
      for (label, input) in inputs {
        guard let input = input.innerList, let bytes = signatures[label]?.bytes else {
          throw SigningError(
            .malformed,
            "a signature has to be a list of components in \(inputName), and bytes in \(signatureName)")
        }
        entries.append(Entry(label: label, input: input, bytes: bytes))
      }
      guard entries.count == signatures.count else {
        throw SigningError(.malformed, "\(signatureName) has a label that \(inputName) does not have")
      }
      return entries
    }

    func signature() throws(SigningError) -> MessageSignature {
      MessageSignature(label: label, parameters: try SignatureParameters(input), bytes: bytes)
    }

    /// The parameter `tag`, if it is a string.
    var tag: String? { input.parameters["tag"]?.string }

    private static func members(
      of name: String, _ fields: HTTPFields
    ) throws(SigningError) -> StructuredDictionary {
      do {
        return try StructuredDictionary(parsing: fields.values(of: name))
      } catch {
        throw SigningError(field: name, error)
      }
    }
  }
}

/// A field that is a dictionary by digest algorithm (RFC 9530).
public protocol DigestDictionary: StructuredField {
  /// The field's name.
  static var fieldName: String { get }
  /// The members of the field, in their order, also those of algorithms that are not known.
  var members: StructuredDictionary { get set }
  init(members: StructuredDictionary)
}

package import ErrandStructuredFields

/// A field that is a dictionary by digest algorithm (RFC 9530).
package protocol DigestDictionary: StructuredField {
  /// The field's name.
  static var fieldName: String { get }
  /// The members of the field, in their order, including those of unknown algorithms.
  var members: StructuredDictionary { get set }
  /// Makes a field with these members.
  init(members: StructuredDictionary)
}

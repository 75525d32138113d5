extension Error {
  /// The description of an error of any origin. One of an encoder or a decoder quotes values of its document, so
  /// it is described without them.
  package var shown: String { codingProblem ?? "\(self)" }

  /// The kind, the type and the place of a failure to encode or decode, without any value; nil for other errors.
  var codingProblem: String? {
    switch self as any Error {
    case DecodingError.keyNotFound(let key, let context): "no \(key.shown) \(context.codingPath.shown)"
    case DecodingError.typeMismatch(let type, let context): "no \(type) \(context.codingPath.shown)"
    case DecodingError.valueNotFound(let type, let context): "null for a \(type) \(context.codingPath.shown)"
    // Foundation's own words, which quote nothing; those of any other failure of this kind may.
    case DecodingError.dataCorrupted(let context)
    where context.codingPath.isEmpty
      && context.debugDescription.hasPrefix("The given data was not valid JSON"):
      "the given data was not valid JSON"
    case DecodingError.dataCorrupted(let context): "an invalid value \(context.codingPath.shown)"
    case EncodingError.invalidValue(let value, let context):
      "an invalid \(type(of: value)) \(context.codingPath.shown)"
    case is DecodingError, is EncodingError: "a failure of another kind"
    default: nil
    }
  }

  /// The same for an error that a value's own encoding or decoding threw: of an error of the application only its
  /// type, because it may quote the value.
  package var problemOfValue: String { codingProblem ?? "an error of the type \(type(of: self))" }
}

/// An error whose description quotes nothing that was sent, received or stored.
package protocol ShownError: Error {}

extension FileError: ShownError {}

extension Error {
  /// The reason why a credential could not be read or refreshed. An error of the application is not shown: it may quote
  /// what was sent or received.
  package var credentialProblem: String {
    switch self {
    case let error as RequestError: error.descriptionWithoutWords
    case let error as any ShownError: "\(error)"
    default: problemOfValue
    }
  }
}

extension [any CodingKey] {
  fileprivate var shown: String { isEmpty ? "at the top" : "at " + map(\.shown).joined(separator: ".") }
}

extension CodingKey {
  /// The index in an array, or the name of a case without values: that is written in the program. Any other key
  /// may be that of a dictionary, which is data.
  fileprivate var shown: String {
    if let intValue, stringValue == "Index \(intValue)" { return "[\(intValue)]" }
    let mirror = Mirror(reflecting: self)
    return mirror.displayStyle == .enum && mirror.children.isEmpty ? stringValue : "***"
  }
}

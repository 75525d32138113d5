extension Error {
  /// The description of any error. Errors of encoders and decoders quote values of their document, so they
  /// are described without them.
  package var shown: String { codingProblem ?? "\(self)" }

  /// The kind, the type and the place of an encoding or decoding error, without any value; nil for other
  /// errors.
  var codingProblem: String? {
    switch self as any Error {
    case DecodingError.keyNotFound(let key, let context): "no key \(key.shown) \(context.codingPath.shown)"
    case DecodingError.typeMismatch(let type, let context):
      "no value of type \(type) \(context.codingPath.shown)"
    case DecodingError.valueNotFound(let type, let context):
      "null instead of \(type) \(context.codingPath.shown)"
    // Foundation's text quotes nothing here. Texts of other corrupted data may.
    case DecodingError.dataCorrupted(let context)
    where context.codingPath.isEmpty
      && context.debugDescription.hasPrefix("The given data was not valid JSON"):
      "the given data was not valid JSON"
    case DecodingError.dataCorrupted(let context): "an invalid value \(context.codingPath.shown)"
    case EncodingError.invalidValue(let value, let context):
      "an invalid \(type(of: value)) \(context.codingPath.shown)"
    case is DecodingError, is EncodingError: "it cannot be encoded or decoded"
    default: nil
    }
  }

  /// The description of an error that a value's own encoding or decoding threw. Of an application's error it
  /// names only the type, because its description may quote the value.
  package var problemOfValue: String { codingProblem ?? "an error of the type \(type(of: self))" }
}

/// An error whose description quotes nothing that was sent, received or stored.
package protocol ShownError: Error {}

extension FileError: ShownError {}

extension Error {
  /// The reason why a credential could not be read or refreshed. Of an application's error it names only the type,
  /// because its description may quote a message.
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
  /// The index in an array, or the name of a case without values, which is written in the program. Any other
  /// key may be that of a dictionary, which is data, and is hidden.
  fileprivate var shown: String {
    if let intValue, stringValue == "Index \(intValue)" { return "[\(intValue)]" }
    let mirror = Mirror(reflecting: self)
    return mirror.displayStyle == .enum && mirror.children.isEmpty ? stringValue : "***"
  }
}

import ErrandStructuredFields

extension SigningError {
  init(field name: String, _ error: StructuredFieldError) {
    self.init(.malformed, "\(name) is not the structured field that RFC 9421 defines: \(error)")
  }

  init(making name: String, _ error: StructuredFieldError) {
    self.init(.invalidParameter, "\(name) cannot be sent: \(error)")
  }
}

/// The limits of a message's signatures. Without them, a message could keep a verifier busy for long.
enum SignatureLimits {
  static let signatures = 16
  static let components = 128
}

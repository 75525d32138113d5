import ErrandCore

/// An error in the command line: what is wrong, and what to do instead.
struct UsageError: Error, Sendable, Hashable {
  let message: String
  let hint: String?

  init(_ message: String, hint: String? = nil) {
    self.message = message
    self.hint = hint
  }
}

extension String {
  /// The text in quotes, without the secrets of a URL, because errors end in logs.
  var quotedWithoutSecrets: String { Secrets.standard.redactAnything(self).debugDescription }
}

import ErrandCore

/// The tool was used wrongly: what is wrong, and what to do instead.
struct UsageError: Error, Sendable, Hashable {
  let message: String
  let hint: String?

  init(_ message: String, hint: String? = nil) {
    self.message = message
    self.hint = hint
  }
}

extension String {
  /// In quotes, and without what is secret if it is a URL: errors end in logs.
  var quotedWithoutSecrets: String { Secrets.standard.redactAnything(self).debugDescription }
}

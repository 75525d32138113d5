/// The tool was used wrongly: what is wrong, and what to do instead.
struct UsageError: Error, Sendable, Hashable {
  let message: String
  let hint: String?

  init(_ message: String, hint: String? = nil) {
    self.message = message
    self.hint = hint
  }
}

/// What is wrong with a line that is imported.
struct ImportFault: Error, Sendable {
  let code: OutboxError.Code
  let reason: String

  init(_ reason: String, code: OutboxError.Code = .badImport) {
    self.reason = reason
    self.code = code
  }
}

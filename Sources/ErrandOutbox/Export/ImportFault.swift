/// Why a line cannot be imported.
struct ImportFault: Error, Sendable {
  let code: OutboxError.Code
  let reason: String

  init(_ reason: String, code: OutboxError.Code = .badImport) {
    self.reason = reason
    self.code = code
  }
}

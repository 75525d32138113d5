import ErrandCore

/// The renewals for which the current task works.
enum CredentialRenewal {
  @TaskLocal private static var sessions: [ObjectIdentifier] = []

  static func isUnderWay(_ session: some AnyCredentialSession) -> Bool {
    !sessions.isEmpty && sessions.contains(ObjectIdentifier(session))
  }

  static func run<Value>(_ session: some AnyCredentialSession, _ body: () async throws -> Value)
    async rethrows -> Value
  {
    try await $sessions.withValue(sessions + [ObjectIdentifier(session)], operation: body)
  }
}

import ErrandCore

/// The kinds of credential that must not share one store: the tokens of a user, and those of a program.
struct CredentialKind<Credential: Sendable>: Sendable {
  /// False if a new credential can be obtained without the stored one, and without a sign-in. Then a damaged entry is
  /// replaced.
  var needsSignIn = true
  /// Returns a credential of this kind as it is stored.
  var marked: @Sendable (Credential) -> Credential = { $0 }
  /// Returns true if a stored credential is of this kind. The second parameter is true if its identity has a name.
  var includes: @Sendable (Credential, Bool) -> Bool = { _, _ in true }
}

extension OAuth2 {
  /// A program's tokens have a source, and a user's have none. Those of a program that an earlier version stored have
  /// none either, but their identity has no name.
  var kind: CredentialKind<Tokens> {
    switch grant {
    case .refreshToken: return CredentialKind(includes: { tokens, _ in tokens.source == nil })
    case .clientCredentials:
      return CredentialKind(
        needsSignIn: false,
        marked: { [source] tokens in
          var tokens = tokens
          tokens.source = tokens.source ?? source
          return tokens
        },
        includes: { tokens, hasName in tokens.source != nil || !hasName })
    }
  }
}

/// The error for a store that has a credential of another kind.
struct OtherCredentialKind: ShownError, CustomStringConvertible {
  /// True if the store has a program's credential.
  let isOfProgram: Bool

  var description: String {
    isOfProgram
      ? "the stored credential is a program's, and this client sends a user's: choose another file or item for the user"
      : "the stored credential is a user's, and this client sends a program's: choose another file or item for the program"
  }
}

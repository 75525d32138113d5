/// A shell that completes the arguments of `errand`.
enum CompletionShell: String, Sendable, Hashable, CaseIterable {
  case bash, zsh, fish
}

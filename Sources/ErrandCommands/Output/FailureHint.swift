import ErrandCore

/// A hint for the user about a failure.
enum FailureHint {
  static func text(for error: RequestError, _ transfer: Transfer) -> String? {
    switch error.code {
    case .invalidRequest: url(transfer.url)
    case .untrustedCertificate: "If the authority is yours: --cacert FILE."
    case .timedOut where transfer.timeout == nil: "To wait longer: --timeout 60s."
    case .connectionLost, .timedOut:
      transfer.resumes
        ? "What came is kept; the same command goes on with it."
        : transfer.target == .fileNamedByURL ? "With --resume a download can be gone on with." : nil
    case .bodyNotReplayable: "Give the body as a file, -d @FILE, and it can be."
    default: nil
    }
  }

  /// Suggests the URL that was probably meant.
  static func url(_ text: String) -> String? {
    guard !text.contains("://"), !text.isEmpty, !text.hasPrefix("/"), !text.contains(" ") else { return nil }
    let authority = text.prefix { $0 != "/" && $0 != "?" }
    let host = authority.prefix { $0 != ":" }
    guard host == "localhost" || host.contains(".") || authority == host else { return nil }
    let isHere =
      host == "localhost" || host.hasPrefix("127.") || host.hasPrefix("192.168.") || host.hasPrefix("10.")
    return "Did you mean \(isHere ? "http" : "https")://\(Secrets.standard.redactAnything(text))?"
  }
}

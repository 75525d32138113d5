import ErrandCore

/// A hint for the user about a failure.
enum FailureHint {
  static func text(for error: RequestError, _ transfer: Transfer) -> String? {
    switch error.code {
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
}

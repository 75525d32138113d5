import ErrandCore
import ErrandOutbox
import ErrandSigning

/// The failure of a command: its exit code, and a message with a hint.
struct CommandFailure: Error, Sendable {
  let exit: ExitCode
  /// The code of the failure in JSON output.
  let code: String
  let message: String
  var hint: String?
  /// The client's error that caused the failure; nil for any other cause.
  var cause: RequestError?

  /// The words of the library that a user of the command line does not know, and those for them.
  private static let words = [
    (" (RedirectPolicy.limit)", " (--max-redirs)"), ("httpVersion(.automatic)", "no --http2"),
    (", or set the client's baseURL", ""),
    (
      "add it in one of the client's attemptInterceptors, which run at each attempt",
      "give it to errand outbox run"
    ),
    (
      "set Authorization in one of the client's attemptInterceptors, which run at each attempt",
      "give Authorization to errand outbox run"
    ),
  ]

  init(_ exit: ExitCode, _ code: String, _ message: String, hint: String? = nil) {
    self.exit = exit
    self.code = code
    self.message = Self.words.reduce(message) { $0.replacing($1.0, with: $1.1) }
    self.hint = hint
  }

  init(_ error: UsageError) { self.init(.usage, "usage", error.message, hint: error.hint) }

  /// Creates a failure from any error of a command that sends one request.
  init(_ error: any Error, _ transfer: Transfer) {
    if let error = error as? RequestError {
      self.init(error, transfer)
    } else {
      self.init(error)
    }
  }

  /// Creates a failure from any error of a command.
  init(_ error: any Error) {
    switch error {
    case let failure as CommandFailure: self = failure
    case let error as UsageError: self.init(error)
    case let error as RequestError: self.init(ExitCode(error.code), error.code.rawValue, error.description)
    case let error as OutboxError: self.init(ExitCode(error.code), error.code.rawValue, error.message)
    case let error as SigningError: self.init(.usage, error.code.description, error.message)
    case let error as FileError: self.init(.localFile, "file", error.description)
    case OutputDescriptor.Failure.unwritable(let reason):
      self.init(.localFile, "outputUnwritable", "the output cannot be written: \(reason)")
    case is CancellationError: self.init(.interrupted, "cancelled", "cancelled")
    default: self.init(.network, "other", error.shown)
    }
  }

  private init(_ error: RequestError, _ transfer: Transfer) {
    let message =
      if case .status(let status, _) = error.rejection {
        Self.rejection(status, "\(error.method ?? transfer.method) \(error.url ?? "")")
      } else {
        // The body is shown separately, so the message need not quote it.
        error.descriptionWithoutWords
      }
    self.init(
      ExitCode(error.code), error.code.rawValue, message, hint: FailureHint.text(for: error, transfer))
    cause = error
  }

  /// Returns the failure for a response whose status is not 2xx.
  static func rejected(_ status: HTTPStatus, _ asked: String) -> CommandFailure {
    CommandFailure(.rejected, RequestError.Code.rejected.rawValue, rejection(status, asked))
  }

  private static func rejection(_ status: HTTPStatus, _ asked: String) -> String {
    "\(asked): the server responded with \(status)"
  }
}

extension HTTPFields {
  /// The header fields with `***` in the place of secrets, because error messages are often logged.
  var masked: HTTPFields {
    var masked = HTTPFields()
    for field in self { masked.append(field.name, field.isSecret ? "***" : field.value) }
    return masked
  }
}

/// A hint for the user about a failure.
enum FailureHint {
  static func text(for error: RequestError, _ transfer: Transfer) -> String? {
    switch error.code {
    case .untrustedCertificate: "To trust your own certificate authority: --cacert FILE."
    case .proxyAuthenticationFailed:
      "Add --proxy-user USER:PASSWORD, and --proxy-digest if the proxy does not accept Basic."
    case .timedOut where transfer.timeout == nil: "To wait longer: --timeout 60s."
    case .connectionLost, .timedOut:
      transfer.resumes
        ? "If the server sent an ETag or Last-Modified, the received part was kept and the same command continues."
        : transfer.target == .fileNamedByURL ? "With --resume a failed download can be continued." : nil
    case .bodyNotReplayable: "A body from a file can be sent again: -d @FILE."
    default: nil
    }
  }
}

/// The exit status of the tool.
enum ExitCode: Int32, Sendable, CaseIterable {
  case success = 0
  case rejected = 1
  case usage = 2
  case noConnection = 3
  case timedOut = 4
  case network = 5
  case localFile = 6
  case deadLettered = 7
  case expired = 8
  case interrupted = 130

  var meaning: String {
    switch self {
    case .success: "success: a 2xx response"
    case .rejected:
      "rejected response: a status other than 2xx, a redirect that was not followed, a body that is too large"
    case .usage:
      "wrong usage: an unknown option, an invalid URL, a header field or a certificate that cannot be sent"
    case .noConnection:
      "no connection: unknown host, connection refused, proxy refused, TLS failed, certificate or key not trusted"
    case .timedOut: "timed out: no progress for --timeout, or --deadline passed"
    case .network: "other network failure: connection lost, broken response, invalid compression"
    case .localFile:
      "local file failure: missing, unreadable, changed while sent, already exists, disk full, no outbox"
    case .deadLettered:
      "dead letter: a guaranteed request was rejected or attempted too often, and is still stored"
    case .expired: "not delivered: a guaranteed request expired or was dropped"
    case .interrupted:
      "interrupted: control-C (143 after SIGTERM, 129 after SIGHUP) cancelled the requests in flight"
    }
  }

  init(_ code: RequestError.Code) {
    self =
      switch code {
      case .rejected, .decodingFailed, .tooManyRedirects, .redirectRefused, .pageRefused, .bodyTooLarge,
        .fieldsTooLarge,
        .bodyNotReplayable:
        .rejected
      case .invalidRequest, .unsupported, .invalidConfiguration: .usage
      case .cannotResolveHost, .cannotConnect, .addressRefused, .proxyAuthenticationFailed,
        .untrustedCertificate,
        .pinMismatch,
        .tlsFailed:
        .noConnection
      case .timedOut, .deadlineExceeded: .timedOut
      case .fileUnreadable, .fileChanged, .fileUnwritable, .bodyFailed: .localFile
      case .cancelled: .interrupted
      default: .network
      }
  }

  init(_ code: OutboxError.Code) { self = code == .notStorable ? .usage : .localFile }
}

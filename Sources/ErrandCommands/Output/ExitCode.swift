import ErrandCore
import ErrandOutbox

/// The exit status of the tool.
enum ExitCode: Int32, Sendable, CaseIterable {
  case success = 0
  case refused = 1
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
    case .success: "a 2xx response"
    case .refused:
      "a response that was refused: any status but 2xx, a redirect that is not followed, a body too large"
    case .usage: "wrong use: an unknown option, a URL that cannot be asked, a field that cannot be sent"
    case .noConnection:
      "no connection: host unknown, refused, unreachable, TLS failed, certificate or key not trusted"
    case .timedOut: "timed out: nothing moved for --timeout, or --deadline passed"
    case .network: "other network failure: connection lost, broken response, bad compression"
    case .localFile:
      "local file trouble: missing, unreadable, changed while sent, exists already, disk full, no outbox"
    case .deadLettered:
      "a guaranteed request was refused or tried too often: it is a dead letter, and still stored"
    case .expired: "a guaranteed request expired, or was dropped, before it was delivered"
    case .interrupted: "control-C (143 after SIGTERM); what was in flight is cancelled at once"
    }
  }

  init(_ code: RequestError.Code) {
    self =
      switch code {
      case .rejected, .decodingFailed, .tooManyRedirects, .redirectRefused, .bodyTooLarge, .fieldsTooLarge,
        .bodyNotReplayable:
        .refused
      case .invalidRequest, .unsupported: .usage
      case .cannotResolveHost, .cannotConnect, .untrustedCertificate, .pinMismatch, .tlsFailed: .noConnection
      case .timedOut, .deadlineExceeded: .timedOut
      case .fileUnreadable, .fileChanged, .fileUnwritable, .bodyFailed: .localFile
      case .cancelled: .interrupted
      default: .network
      }
  }

  init(_ code: OutboxError.Code) { self = code == .notStorable ? .usage : .localFile }
}

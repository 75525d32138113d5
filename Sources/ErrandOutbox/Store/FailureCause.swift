package import ErrandCore

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The party that caused an attempt to end without an accepted response. It is decided where the failure
/// happens.
package enum FailureCause: Sendable, Hashable {
  /// The request: it cannot be sent as it is, or its stored body is missing or altered. Another attempt does
  /// not help.
  case request
  /// The server, or the network on the way to it.
  case server
  /// The store: it cannot read a stored body now.
  case store
  /// This process: it has no file descriptor or memory left, or its client is shut down.
  case process
}

/// The reason why a stored body cannot be read now, although it may exist.
package struct StoreAway: Error, CustomStringConvertible {
  /// `.store` or `.process`.
  package let cause: FailureCause
  package let description: String

  package init(_ cause: FailureCause = .store, _ description: String) {
    self.cause = cause
    self.description = description
  }
}

extension RequestError {
  /// Returns the error for a stored body that cannot be sent.
  package static func unreadableStoredFile(
    _ name: String, _ error: any Error, reachedServer: Bool
  ) -> RequestError {
    // The error of a body reader names the request; its cause is the underlying error.
    let error = (error as? RequestError)?.underlying ?? error
    let away = error as? StoreAway ?? (error as? FileError).flatMap(StoreAway.init)
    guard let away else {
      return RequestError(
        .fileUnreadable, message: "the stored file \(name) cannot be sent: \(error)",
        reachedServer: reachedServer, underlying: error)
    }
    return RequestError(
      .bodyFailed, message: "the stored file \(name) cannot be read now: \(away)",
      reachedServer: reachedServer,
      underlying: away)
  }
}

extension StoreAway {
  /// Nil if the file is missing, or not what was stored.
  fileprivate init?(_ error: FileError) {
    guard let code = error.systemCode, ![ENOENT, ENOTDIR, EISDIR, ELOOP].contains(code) else { return nil }
    self.init(SystemShortage(code) == nil ? .store : .process, "\(error)")
  }
}

extension FailureCause {
  /// Finds the cause of a failed attempt.
  /// - Parameter error: The error of the attempt.
  init(of error: any Error) {
    guard let error = error as? RequestError else {
      self = error is CancellationError ? .process : .server
      return
    }
    if let away = error.underlying as? StoreAway {
      self = away.cause
    } else if error.underlying is SystemShortage {
      self = .process
    } else {
      self =
        switch error.code {
        case .invalidRequest, .unsupported, .bodyNotReplayable, .fileUnreadable, .fileChanged: .request
        case .cancelled where error.cancellation != .signedOut: .process
        default: .server
        }
    }
  }
}

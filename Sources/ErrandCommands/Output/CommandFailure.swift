import ErrandCore
import ErrandOutbox

/// The reason why a command failed: a message with a hint, and the exit code.
struct CommandFailure: Error, Sendable {
  let exit: ExitCode
  /// The code of the failure, for programs.
  let code: String
  let message: String
  var hint: String?
  /// The client's error, if it is the cause.
  var cause: RequestError?

  init(_ exit: ExitCode, _ code: String, _ message: String, hint: String? = nil) {
    self.exit = exit
    self.code = code
    self.message = message
    self.hint = hint
  }

  init(_ error: UsageError) { self.init(.usage, "usage", error.message, hint: error.hint) }

  /// Makes a failure of any error of a command that sends one request.
  init(_ error: any Error, _ transfer: Transfer) {
    if let error = error as? RequestError {
      self.init(error, transfer)
    } else {
      self.init(error)
    }
  }

  /// Makes a failure of any error of a command.
  init(_ error: any Error) {
    switch error {
    case let failure as CommandFailure: self = failure
    case let error as UsageError: self.init(error)
    case let error as RequestError: self.init(ExitCode(error.code), error.code.rawValue, error.description)
    case let error as OutboxError: self.init(ExitCode(error.code), error.code.rawValue, error.message)
    case let error as FileError: self.init(.localFile, "file", error.description)
    case Outlet.Failure.unwritable(let reason):
      self.init(.localFile, "outputUnwritable", "the output cannot be written: \(reason)")
    case is CancellationError: self.init(.interrupted, "cancelled", "cancelled")
    default: self.init(.network, "other", "\(error)")
    }
  }

  private init(_ error: RequestError, _ transfer: Transfer) {
    let message =
      if case .status(let status, _) = error.rejection {
        Self.refusal(status, "\(error.method ?? transfer.method) \(error.url ?? "")")
      } else {
        error.description
      }
    self.init(
      ExitCode(error.code), error.code.rawValue, message, hint: FailureHint.text(for: error, transfer))
    cause = error
  }

  /// Makes the failure for a response whose status is not 2xx.
  static func refused(_ status: Status, _ asked: String) -> CommandFailure {
    CommandFailure(.refused, RequestError.Code.rejected.rawValue, refusal(status, asked))
  }

  private static func refusal(_ status: Status, _ asked: String) -> String {
    "\(asked): the server responded with \(status)"
  }
}

extension HTTPFields {
  /// The header fields as an error shows them: with `***` in the place of secrets, because errors end in
  /// logs.
  var masked: HTTPFields {
    var masked = HTTPFields()
    for field in self { masked.append(field.name, field.isSecret ? "***" : field.value) }
    return masked
  }
}

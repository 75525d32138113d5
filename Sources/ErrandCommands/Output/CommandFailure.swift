import ErrandCore
import ErrandOutbox

/// Why a command did not do what it was asked for: a sentence to act on, and the exit code.
struct CommandFailure: Error, Sendable {
  let exit: ExitCode
  /// One word for programs.
  let code: String
  let message: String
  var hint: String?
  /// The library's error, if it is one.
  var cause: RequestError?

  init(_ exit: ExitCode, _ code: String, _ message: String, hint: String? = nil) {
    self.exit = exit
    self.code = code
    self.message = message
    self.hint = hint
  }

  init(_ error: UsageError) { self.init(.usage, "usage", error.message, hint: error.hint) }

  /// Any error that a command threw which sends one request.
  init(_ error: any Error, _ transfer: Transfer) {
    if let error = error as? RequestError {
      self.init(error, transfer)
    } else {
      self.init(error)
    }
  }

  /// Any error that a command threw.
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

  /// An answer with a status that is none of success.
  static func refused(_ status: Status, _ asked: String) -> CommandFailure {
    CommandFailure(.refused, RequestError.Code.rejected.rawValue, refusal(status, asked))
  }

  private static func refusal(_ status: Status, _ asked: String) -> String {
    "\(asked): the server answered \(status)"
  }
}

extension HTTPFields {
  /// As an error shows them, which may end in a log: with `***` in the place of secrets.
  var masked: HTTPFields {
    var masked = HTTPFields()
    for field in self { masked.append(field.name, field.isSecret ? "***" : field.value) }
    return masked
  }
}

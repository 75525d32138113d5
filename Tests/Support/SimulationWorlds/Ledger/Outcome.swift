import ErrandCore

/// The outcome of a caller.
enum Outcome: Sendable {
  case responded(status: Int, text: String)
  case failed(code: RequestError.Code?, reason: CancellationReason?, description: String)
  /// The caller released the response's stream before the end.
  case dropped

  init(_ error: any Error) {
    let known = error as? RequestError
    self = .failed(code: known?.code, reason: known?.cancellation, description: "\(error)")
  }

  var isSuccess: Bool {
    if case .responded = self { true } else { false }
  }

  var code: RequestError.Code? {
    if case .failed(let code, _, _) = self { code } else { nil }
  }

  var reason: CancellationReason? {
    if case .failed(_, let reason, _) = self { reason } else { nil }
  }
}

extension Outcome: CustomStringConvertible {
  var description: String {
    switch self {
    case .responded(let status, let text): "\(status) \(text.prefix(24).debugDescription)"
    case .failed(_, _, let description): description
    case .dropped: "let go"
    }
  }
}

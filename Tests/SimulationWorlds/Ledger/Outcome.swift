import ErrandCore

/// What a caller got.
enum Outcome: Sendable {
  case answered(status: Int, text: String)
  case failed(code: RequestError.Code?, reason: CancellationReason?, description: String)
  /// It let go of the answer's stream before the end.
  case dropped

  init(_ error: any Error) {
    let known = error as? RequestError
    self = .failed(code: known?.code, reason: known?.cancellation, description: "\(error)")
  }

  var isSuccess: Bool {
    if case .answered = self { true } else { false }
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
    case .answered(let status, let text): "\(status) \(text.prefix(24).debugDescription)"
    case .failed(_, _, let description): description
    case .dropped: "let go"
    }
  }
}

public import ErrandCore

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The outcome of one attempt on a `StubTransport`.
public struct StubStep: Sendable {
  enum Outcome: Sendable {
    case response(ResponseHead, [Data])
    case failure(RequestError.Code, String, reachedServer: Bool)
    case error(any Error)
    case nothing
  }

  let outcome: Outcome
  private(set) var delay: Duration = .zero
  private(set) var gate: StubGate?

  private init(_ outcome: Outcome) { self.outcome = outcome }

  /// A response whose body arrives in pieces.
  public static func response(status: Int = 200, fields: HTTPFields = [:], chunks: [Data]) -> StubStep {
    StubStep(.response(ResponseHead(status: HTTPStatus(status), fields: fields), chunks))
  }

  /// A response. `Content-Length` is added unless `fields` has it.
  public static func response(status: Int = 200, fields: HTTPFields = [:], body: Data) -> StubStep {
    var fields = fields
    if !fields.contains("Content-Length") { fields["Content-Length"] = "\(body.count)" }
    return .response(status: status, fields: fields, chunks: body.isEmpty ? [] : [body])
  }

  /// A response with text as its body.
  public static func response(status: Int = 200, fields: HTTPFields = [:], body: String = "") -> StubStep {
    .response(status: status, fields: fields, body: Data(body.utf8))
  }

  /// A failure, as a transport reports it.
  public static func fail(
    _ code: RequestError.Code, reachedServer: Bool = true, message: String = "the stub was told to fail"
  ) -> StubStep {
    StubStep(.failure(code, message, reachedServer: reachedServer))
  }

  /// Any error.
  public static func fail(with error: any Error) -> StubStep { StubStep(.error(error)) }

  /// No response until the time-out or a cancellation.
  public static var stall: StubStep { StubStep(.nothing) }

  /// The same step after a delay on the stub's clock. The attempt times out if the delay is not shorter than
  /// its time-out.
  public func after(_ delay: Duration) -> StubStep {
    var copy = self
    copy.delay = delay
    return copy
  }

  /// The same step once the gate is open. The time-out counts from then on.
  public func behind(_ gate: StubGate) -> StubStep {
    var copy = self
    copy.gate = gate
    return copy
  }
}

public import ErrandCore

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// What a `StubTransport` does with one try.
public struct StubStep: Sendable {
  enum Outcome: Sendable {
    case answer(ResponseHead, [Data])
    case failure(RequestError.Code, String, reachedServer: Bool)
    case error(any Error)
    case nothing
  }

  let outcome: Outcome
  private(set) var delay: Duration = .zero
  private(set) var gate: StubGate?

  private init(_ outcome: Outcome) { self.outcome = outcome }

  /// An answer whose body comes in pieces.
  public static func answer(status: Int = 200, fields: HTTPFields = [:], chunks: [Data]) -> StubStep {
    StubStep(.answer(ResponseHead(status: Status(status), fields: fields), chunks))
  }

  /// An answer. `Content-Length` is added, unless `fields` has it.
  public static func answer(status: Int = 200, fields: HTTPFields = [:], body: Data) -> StubStep {
    var fields = fields
    if !fields.contains("Content-Length") { fields["Content-Length"] = "\(body.count)" }
    return .answer(status: status, fields: fields, chunks: body.isEmpty ? [] : [body])
  }

  /// An answer, with text as its body.
  public static func answer(status: Int = 200, fields: HTTPFields = [:], body: String = "") -> StubStep {
    .answer(status: status, fields: fields, body: Data(body.utf8))
  }

  /// A failure as a transport reports it.
  public static func fail(
    _ code: RequestError.Code, reachedServer: Bool = true, message: String = "the stub was told to fail"
  ) -> StubStep {
    StubStep(.failure(code, message, reachedServer: reachedServer))
  }

  /// Any error.
  public static func fail(with error: any Error) -> StubStep { StubStep(.error(error)) }

  /// Nothing, until the time-out or a cancel.
  public static var stall: StubStep { StubStep(.nothing) }

  /// The same, after so long on the stub's clock; the try times out if that is not before its time-out.
  public func after(_ delay: Duration) -> StubStep {
    var copy = self
    copy.delay = delay
    return copy
  }

  /// The same, once the gate is open. The time-out counts from then on.
  public func behind(_ gate: StubGate) -> StubStep {
    var copy = self
    copy.gate = gate
    return copy
  }
}

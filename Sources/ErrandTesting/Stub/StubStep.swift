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

  /// Returns a response whose body arrives in these pieces.
  public static func response(status: Int = 200, fields: HTTPFields = [:], chunks: [Data]) -> StubStep {
    StubStep(.response(ResponseHead(status: HTTPStatus(status), fields: fields), chunks))
  }

  /// Returns a response. `Content-Length` is added unless `fields` has it.
  public static func response(status: Int = 200, fields: HTTPFields = [:], body: Data) -> StubStep {
    var fields = fields
    if !fields.contains("Content-Length") { fields["Content-Length"] = "\(body.count)" }
    return .response(status: status, fields: fields, chunks: body.isEmpty ? [] : [body])
  }

  /// Returns a response with text as its body.
  public static func response(status: Int = 200, fields: HTTPFields = [:], body: String = "") -> StubStep {
    .response(status: status, fields: fields, body: Data(body.utf8))
  }

  /// Returns a response with a value as JSON, and the content type `application/json`. If the value cannot be encoded,
  /// the attempt fails with the error of the encoder.
  public static func response(
    status: Int = 200, fields: HTTPFields = [:], json: some Encodable, encoder: JSONEncoder = JSONEncoder()
  ) -> StubStep {
    var fields = fields
    fields.appendMissing(["Content-Type": "application/json"])
    do {
      return .response(status: status, fields: fields, body: try encoder.encode(json))
    } catch {
      return .fail(with: error)
    }
  }

  /// Returns a failure as a transport reports it.
  /// - Parameters:
  ///   - code: The code of the error.
  ///   - reachedServer: False if the server certainly did not receive the request. Default: true.
  ///   - message: The message of the error.
  public static func fail(
    _ code: RequestError.Code, reachedServer: Bool = true,
    message: String = "the stub failed as its script says"
  ) -> StubStep {
    StubStep(.failure(code, message, reachedServer: reachedServer))
  }

  /// Returns a step that throws any error.
  public static func fail(with error: any Error) -> StubStep { StubStep(.error(error)) }

  /// No response until the time-out or a cancellation.
  public static var stall: StubStep { StubStep(.nothing) }

  /// Returns this step after a delay on the stub's clock. The attempt times out unless the delay is shorter
  /// than its time-out.
  public func after(_ delay: Duration) -> StubStep {
    var copy = self
    copy.delay = delay
    return copy
  }

  /// Returns this step for the moment at which the gate opens. The time-out begins only then.
  public func behind(_ gate: StubGate) -> StubStep {
    var copy = self
    copy.gate = gate
    return copy
  }
}

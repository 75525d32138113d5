/// A call that is sent with a credential, as the credential's session sees it.
package struct CredentialCall: Sendable {
  private let context: CallContext
  private let next: NextStage
  /// The origins that the credential is for.
  package let origins: CredentialOrigins
  /// The era of the call's identity.
  package let era: Int
  /// The client of the call, for refreshes.
  package let sender: CredentialSender

  init(
    _ context: CallContext, at origins: CredentialOrigins, era: Int, _ next: NextStage,
    _ sender: CredentialSender
  ) {
    self.context = context
    self.next = next
    self.origins = origins
    self.era = era
    self.sender = sender
  }

  package var cancellation: CancellationToken { context.cancellation }

  /// Passes a request on to the next stage.
  package func send(_ request: Request) async throws -> Response { try await next(request, context) }

  /// Returns the request as it is sent. See `Request.onWire`.
  package func onWire(_ request: Request) async throws -> Request {
    try await request.onWire(unless: cancellation, context.pins)
  }

  /// Runs the authenticator like an interceptor. See `CallContext.runInterruptibly`.
  package func runInterruptibly<Value: Sendable>(
    _ work: @escaping @Sendable () async throws -> Value
  ) async throws -> Value { try await context.runInterruptibly(work) }
}

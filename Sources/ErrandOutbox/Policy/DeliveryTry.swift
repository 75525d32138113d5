public import ErrandCore

/// What one try of a stored request brought.
public struct DeliveryTry: Sendable {
  /// The request as it was stored, without what the client and its interceptors add.
  public let request: Request
  /// Which try this was, from 1.
  public let number: Int
  /// The answer that passed the request's own validation, or why there is none: a `RequestError`, or what an interceptor
  /// threw.
  public let result: Result<Response, any Error>

  public init(request: Request, number: Int, result: Result<Response, any Error>) {
    self.request = request
    self.number = number
    self.result = result
  }
}

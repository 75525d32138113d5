public import ErrandCore

/// The result of one attempt of a stored request.
public struct DeliveryAttempt: Sendable {
  /// The request as it was stored, without what the client and its interceptors add.
  public let request: Request
  /// The number of the attempt, from 1.
  public let number: Int
  /// The response that passed the request's own validation, or why there is none: a `RequestError`, or what
  /// an interceptor threw.
  public let result: Result<Response, any Error>

  public init(request: Request, number: Int, result: Result<Response, any Error>) {
    self.request = request
    self.number = number
    self.result = result
  }
}

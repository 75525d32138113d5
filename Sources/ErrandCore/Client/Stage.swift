/// One stage of a request's way through a client. It does its part before and after the stages that follow, or
/// instead of them.
///
/// A class, so that passing it on costs one reference.
protocol Stage: AnyObject, Sendable {
  /// The requests that pass the stage.
  var usage: StageUsage { get }

  /// In the stages that every request passes it is inlined into the function that calls it by the protocol, so that
  /// there is one asynchronous function for each, and not two.
  /// - Parameter next: The stages that follow: called once, several times, or not at all.
  func perform(_ request: Request, _ context: CallContext, _ next: NextStage) async throws -> Response
}

/// The requests that pass a stage. A request has no cost from the stages that it does not pass.
enum StageUsage: Equatable {
  case everyRequest
  /// Requests that the client's credential is for, and requests with options.
  case requestsWithCredential
  /// Requests with an option that few have.
  case requests(with: StageOption)
  /// No request of this client.
  case none
}

/// The stages that follow another.
package struct NextStage: Sendable {
  private let stages: [any Stage]
  private let index: Int

  init(_ stages: [any Stage]) { self.init(stages, 0) }

  private init(_ stages: [any Stage], _ index: Int) {
    self.stages = stages
    self.index = index
  }

  /// Passes the request on and returns the response.
  package func callAsFunction(_ request: Request, _ context: CallContext) async throws -> Response {
    try await stages[index].perform(request, context, NextStage(stages, index + 1))
  }
}

/// One stage of a client's chain. It works before and after the following stages, or returns without them.
///
/// A class, so that passing it on costs only one reference.
protocol Stage: AnyObject, Sendable {
  /// The requests that pass the stage.
  var usage: StageUsage { get }

  /// Performs the request. In stages that every request passes, this method is inlined into the protocol's
  /// witness, so that each stage is one asynchronous function instead of two.
  /// - Parameter next: The following stages, which may be called once, several times, or not at all.
  func perform(_ request: Request, _ context: CallContext, _ next: NextStage) async throws -> Response
}

/// The requests that pass a stage. A stage costs nothing for the other requests.
enum StageUsage: Equatable {
  case everyRequest
  /// Requests that the client's credential is for, and requests with rarely used options.
  case requestsWithCredential
  /// Requests with a rarely used option.
  case requests(with: StageOption)
  /// No request of this client.
  case none
}

/// The following stages.
struct NextStage: Sendable {
  private let stages: [any Stage]
  private let index: Int

  init(_ stages: [any Stage]) { self.init(stages, 0) }

  private init(_ stages: [any Stage], _ index: Int) {
    self.stages = stages
    self.index = index
  }

  /// Passes the request on and returns the response.
  func callAsFunction(_ request: Request, _ context: CallContext) async throws -> Response {
    try await stages[index].perform(request, context, NextStage(stages, index + 1))
  }
}

/// The options that make a request pass additional stages.
struct StageOption: OptionSet, Sendable {
  let rawValue: Int

  static let dependencies = StageOption(rawValue: 1)
  static let repeats = StageOption(rawValue: 2)
  static let caching = StageOption(rawValue: 4)
  static let signing = StageOption(rawValue: 8)
  static let rateLimit = StageOption(rawValue: 16)
  static let invalidating = StageOption(rawValue: 32)
  static let network = StageOption(rawValue: 64)
  static let hedging = StageOption(rawValue: 128)

  /// The number of combinations of options.
  static let combinations = 256
}

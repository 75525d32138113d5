import ErrandCore

/// How an answer, or why there is none, gets to the user.
protocol Delivery: Sendable {
  /// Delivers an answer with its body still to come. Throws if it is refused, after it is delivered.
  func deliver(_ response: Response, to outlet: Outlet) async throws
  /// Tells of an answer whose body is in a file.
  func delivered(_ response: Response, in path: String) throws
  func fail(_ failure: CommandFailure) async throws
}

extension Delivery {
  /// Throws if the status is none of success.
  func check(_ response: Response, _ transfer: Transfer) throws {
    guard !response.status.isSuccess else { return }
    let url = Request.get(response.url).description.dropFirst("GET ".count)
    throw CommandFailure.refused(response.status, "\(transfer.method) \(url)")
  }

  /// The timing of the whole, of a stream that has ended.
  func timing(_ response: Response) -> Timing {
    response.chunks.timing ?? response.timing
  }
}

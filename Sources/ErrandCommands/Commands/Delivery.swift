import ErrandCore

/// Shows a response, or a failure, to the user.
protocol Delivery: Sendable {
  /// Shows a response whose body is still being received. Throws after that if its status is not 2xx.
  func deliver(_ response: Response, to outlet: Outlet) async throws
  /// Reports a response whose body was written to a file.
  func delivered(_ response: Response, in path: String) throws
  func fail(_ failure: CommandFailure) async throws
}

extension Delivery {
  /// Throws if the status is not 2xx.
  func check(_ response: Response, _ transfer: Transfer) throws {
    guard !response.status.isSuccess else { return }
    let url = Request.get(response.url).description.dropFirst("GET ".count)
    throw CommandFailure.refused(response.status, "\(transfer.method) \(url)")
  }

  /// Returns the timing of a whole transfer whose stream has ended.
  func timing(_ response: Response) -> Timing {
    response.chunks.timing ?? response.timing
  }
}

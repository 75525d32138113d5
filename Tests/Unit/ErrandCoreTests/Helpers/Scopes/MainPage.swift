import ErrandCore

/// An owner on the main actor to which the client hands the result.
@MainActor final class MainPage: nonisolated RequestOwner {
  let requests = RequestScope("main")
  let told = Milestone()
  private(set) var text: String?
  private(set) var isCancellation: Bool?

  @discardableResult
  func load(_ client: Client, _ log: EventLog) -> Call {
    client.send(.get("http://stub.test/"), for: self) { page, result in
      MainActor.assertIsolated()
      log.note("told")
      switch result {
      case .success(let response): page.text = response.text
      case .failure(let error): page.isCancellation = error.isCancellation
      }
      page.told.come()
    }
  }
}

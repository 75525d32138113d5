import ErrandCore

/// The wrong way: the task captures the page before the wait, which keeps it alive.
@MainActor final class TrappedPage: RequestOwner {
  let requests = RequestScope("trapped")
  private let client: Client
  private(set) var text = ""

  init(_ client: Client) { self.client = client }

  func load() -> Task<Void, any Error> {
    requests.task { [weak self] in
      guard let self else { return }
      text = try await client.send(.get("http://stub.test/")).text
    }
  }
}

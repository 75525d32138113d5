import ErrandCore

/// The right way: the task does not hold the page while it waits for the response.
@MainActor final class FreePage: RequestOwner {
  let requests = RequestScope("free")
  private let client: Client
  private(set) var text = ""

  init(_ client: Client) { self.client = client }

  func load() -> Task<Void, any Error> {
    requests.task { [weak self, client] in
      let response = try await client.send(.get("http://stub.test/"))
      self?.text = response.text
    }
  }
}

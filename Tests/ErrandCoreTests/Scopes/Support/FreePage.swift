import ErrandCore

/// Right: nobody holds the page while the answer is awaited.
@MainActor final class FreePage: RequestOwner {
  let requests = RequestScope("free")
  private let client: Client
  private(set) var text = ""

  init(_ client: Client) { self.client = client }

  func load() -> Task<Void, any Error> {
    requests.task { [weak self, client] in
      let answer = try await client.send(.get("http://stub.test/"))
      self?.text = answer.text
    }
  }
}

import ErrandCore

/// An actor that owns requests.
actor Store: RequestOwner {
  let requests = RequestScope("store")
  let told = Milestone()
  private(set) var text: String?

  func load(_ client: Client) {
    client.send(.get("http://stub.test/"), for: self) { store, result in
      store.assertIsolated()
      store.show(result)
    }
  }

  func show(_ result: Result<Response, any Error>) {
    text = try? result.get().text
    told.come()
  }
}

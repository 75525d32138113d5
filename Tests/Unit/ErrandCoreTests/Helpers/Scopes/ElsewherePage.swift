import ErrandCore

/// An owner that is isolated to a custom global actor.
@Elsewhere final class ElsewherePage: nonisolated RequestOwner {
  let requests = RequestScope("elsewhere")
  let told = Milestone()
  private(set) var text: String?

  func load(_ client: Client) {
    client.send(.get("http://stub.test/"), for: self) { page, result in
      Elsewhere.assertIsolated()
      page.text = try? result.get().text
      page.told.come()
    }
  }
}

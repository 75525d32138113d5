import ErrandCore

/// An owner in a module whose default isolation is the main actor: its conformance holds only there.
@MainActor final class MainOnlyPage: @MainActor RequestOwner {
  let requests = RequestScope("main only")
  let told = Milestone()
  private(set) var text: String?

  func load(_ client: Client) {
    client.send(.get("http://stub.test/"), for: self) { page, result in
      page.text = try? result.get().text
      page.told.come()
    }
  }
}

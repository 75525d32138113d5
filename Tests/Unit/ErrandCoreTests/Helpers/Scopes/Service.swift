import ErrandCore

/// An owner that any thread may use.
final class Service: RequestOwner, Sendable {
  let requests = RequestScope("service")
  let told = Milestone()
  private let state = Locked<String?>(nil)

  var text: String? { state.withLock { $0 } }

  func load(_ client: Client) {
    client.send(.get("http://stub.test/"), for: self) { service, result in
      let text = try? result.get().text
      service.state.withLock { $0 = text }
      service.told.come()
    }
  }
}

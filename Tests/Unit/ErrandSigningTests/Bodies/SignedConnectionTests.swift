import ErrandCore
import ErrandTesting
import Foundation
import Synchronization
import Testing

/// Signed requests on connections that turn out to be closed.
@Suite struct SignedConnectionTests {
  private final class Numbering: RequestSigner {
    private let number = Mutex(0)

    func sign(_ request: inout OutgoingRequest) {
      let number = number.withLock { number in
        number += 1
        return number
      }
      request.fields.set("X-Signature", "\(number)")
    }
  }

  @Test func `a transport does not send the same signature twice`() async throws {
    let wire = try Wire { $0.signer = Numbering() }
    wire.server.script("/", [.response(), .close, .response()])
    try await wire.client.send(.get(wire.server.url("/")))
    try await wire.client.send(.get(wire.server.url("/")))
    #expect(wire.server.requests.map { $0.fields["X-Signature"] } == ["1", "2", "3"])
  }
}

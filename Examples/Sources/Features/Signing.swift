import Errand
import ErrandSigning
import ErrandTesting
import Foundation

/// Each attempt is signed, and the server verifies the signature and the body's digest (RFC 9421, RFC 9530).
@Sendable func signing(_ server: MockServer) async throws {
  server.on("POST", "/orders") { request in
    .response(status: request.fields["Signature"] == nil ? 401 : 201)
  }
  let key = try SharedKey(Data("a secret that both sides know, 32 B".utf8), keyID: "orders")
  let client = try Client { configuration in
    configuration.signer = try MessageSigner(key)
    configuration.signerOrigins = [server.url("/")]
  }
  let response = try await client.send(.post(server.url("/orders"), .text("one pizza")))
  try show("signed: \(response.status)", response.status == 201)
  try show("Signature-Input: \(server.requests[0].fields["Signature-Input"] ?? "none")")
}

import ErrandCore
import ErrandSigning

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Verifies that a response is signed with a key: its status and, if it has any, its content (RFC 9421).
struct ResponseVerification: Sendable {
  private let verifier: MessageVerifier
  private let sent = SentRequest()

  init(keyFile path: String) throws {
    // Of several signatures, by other keys too, one has to be this key's, whatever name it gives.
    let key = try KeyFile(path).verificationKey()
    verifier = MessageVerifier(requiring: [.status]) { _ in key }
  }

  /// Returns a transport that remembers the request that a response answers.
  func observing(_ transport: any Transport) -> any Transport {
    ObservedTransport(transport: transport, sent: sent)
  }

  /// Returns the request for a response whose content is sent as it is signed: without a compression that the
  /// transport would undo.
  func prepared(_ request: Request) -> Request { request.field("Accept-Encoding", "identity") }

  /// - Throws: `CommandFailure` if the response is not signed with the key, or is not what was signed.
  func verify(_ response: Response) async throws {
    do {
      let coding = response.fields["Content-Encoding"].map(ASCII.lowercased) ?? "identity"
      guard coding == "identity" else {
        throw CommandFailure(
          .rejected, "compressed",
          "the response is compressed although that was not asked for, so its signature cannot be verified")
      }
      try await verifier.verify(
        SignableMessage(response.status, fields: response.fields, answering: sent.message),
        content: response.data)
    } catch let error as SignatureError {
      throw Self.failure(error.code.rawValue, error.message)
    } catch let error as DigestError {
      throw Self.failure(error.code.rawValue, error.message)
    }
  }

  private static func failure(_ code: String, _ reason: String) -> CommandFailure {
    CommandFailure(
      .rejected, code, "the response is not accepted: \(reason)",
      hint: "Nothing of its body was shown. Without --verify it is shown as it is.")
  }
}

/// The last request that was sent.
private final class SentRequest: Sendable {
  private let state = Locked<SignableMessage?>(nil)

  var message: SignableMessage? { state.withLock { $0 } }

  func set(_ request: Exchange.Request) {
    let message = SignableMessage(request.method, request.url, fields: request.fields)
    state.withLock { $0 = message }
  }
}

private struct ObservedTransport: Transport {
  let transport: any Transport
  let sent: SentRequest

  func perform(_ exchange: Exchange) async throws -> TransferResult {
    sent.set(exchange.request)
    return try await transport.perform(exchange)
  }

  func shutdown() async { await transport.shutdown() }
}

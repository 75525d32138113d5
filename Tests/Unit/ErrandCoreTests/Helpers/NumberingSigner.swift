@testable import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A signer whose signature is a number, from 1, and the path. It records the requests that it has signed.
final class NumberingSigner: RequestSigner {
  typealias Before = @Sendable (OutgoingRequest) async throws -> Void
  typealias Answer = @Sendable (OutgoingRequest, HTTPStatus, HTTPFields, Data) async -> Bool

  private let state = Locked<[OutgoingRequest]>([])
  private let before: Before
  private let answer: Answer
  private let follows: Bool
  let identity: String?

  /// - Parameters:
  ///   - follows: True if it signs for other origins, too.
  ///   - again: Returns whether a request is signed again.
  ///   - before: Runs before each signature.
  init(
    identity: String? = nil, follows: Bool = false, before: @escaping Before = { _ in },
    again: @escaping Answer = { _, _, _, _ in false }
  ) {
    (self.identity, self.follows, self.answer, self.before) = (identity, follows, again, before)
  }

  /// The requests that it was asked to sign.
  var seen: [OutgoingRequest] { state.withLock { $0 } }

  func sign(_ request: inout OutgoingRequest) async throws {
    try await before(request)
    let number = state.withLock { [request] state in
      state.append(request)
      return state.count
    }
    request.fields.set("X-Signature", "\(number) \(request.url.path)", isSecret: true)
  }

  func shouldSignAgain(
    _ request: OutgoingRequest, after status: HTTPStatus, _ fields: HTTPFields, bodyPrefix: Data
  ) async -> Bool { await answer(request, status, fields, bodyPrefix) }

  func maySign(_ target: URL, redirectedFrom url: URL) -> Bool { follows }
}

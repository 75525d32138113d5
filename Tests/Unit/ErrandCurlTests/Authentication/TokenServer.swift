import ErrandAuthentication
import ErrandTesting
import Foundation
import Testing

@testable import ErrandCore

/// An OAuth 2 server that accepts each refresh token once, refuses a used one, and echoes the queries of
/// requests with the newest access token.
final class TokenServer: Sendable {
  /// Changes the response to the refresh with a number, from 1, and returns whether it takes effect.
  typealias Reply = @Sendable (_ number: Int, _ response: MockResponse) -> (MockResponse, rotates: Bool)

  struct State: Sendable {
    /// The number of the newest refresh token.
    var newest = 1
    /// The number of the accepted access token.
    var accepted: Int?
    /// The number of requests that the current access token is valid for.
    var usesLeft = Int.max
    /// The numbers of requests that the next access tokens are valid for; later tokens have no limit.
    var usesOfNext: [Int] = []
    /// The number of access tokens that have expired.
    var expired = 0
    /// The clients of all refreshes.
    var refreshes: [String] = []
    /// The clients of refreshes with a token that was used before.
    var reused: [String] = []
  }

  let http: MockServer
  let state = Locked(State())
  private let hasGrace: Bool
  private let reply: Reply

  /// - Parameter hasGrace: True if the previous refresh token returns the same tokens again.
  init(hasGrace: Bool = false, reply: @escaping Reply = { ($1, true) }) throws {
    self.hasGrace = hasGrace
    self.reply = reply
    http = try MockServer()
    http.on("/me") { [weak self] in self?.respond($0) ?? .close }
    http.on("POST", "/token") { [weak self] in self?.refresh($0) ?? .close }
  }

  private func respond(_ request: MockRequest) -> MockResponse {
    state.withLock { state in
      guard let accepted = state.accepted, request.fields["Authorization"] == "Bearer a\(accepted)" else {
        return .response(status: 401)
      }
      guard state.usesLeft > 0 else {
        (state.accepted, state.usesLeft) = (nil, .max)
        state.expired += 1
        return .response(status: 401)
      }
      state.usesLeft -= 1
      return .response(body: request.query ?? "")
    }
  }

  private func refresh(_ request: MockRequest) -> MockResponse {
    let form = request.text.split(separator: "&").map(String.init)
    let token = form.first { $0.hasPrefix("refresh_token=r") }.flatMap { Int($0.dropFirst(15)) }
    let name = form.first { $0.hasPrefix("client_id=") }.map { String($0.dropFirst(10)) } ?? ""
    let number = state.withLock { state in
      state.refreshes.append(name)
      return state.refreshes.count
    }
    let newest = state.withLock { $0.newest }
    guard let token, token == newest || hasGrace && token == newest - 1 else {
      state.withLock { $0.reused.append(name) }
      return .response(status: 400, body: #"{"error":"invalid_grant"}"#)
    }
    let next = token + 1
    let body = #"{"access_token":"a\#(next)","refresh_token":"r\#(next)","expires_in":3600}"#
    let (response, rotates) = reply(number, .response(body: body))
    if rotates {
      state.withLock { state in
        (state.newest, state.accepted) = (next, next)
        if !state.usesOfNext.isEmpty { state.usesLeft = state.usesOfNext.removeFirst() }
      }
    }
    return response
  }

  var refreshes: [String] { state.withLock { $0.refreshes } }
  var reused: [String] { state.withLock { $0.reused } }

  var method: OAuth2 { OAuth2(tokenURL: http.url("/token"), clientID: "app") }
  static let tokens = OAuth2.Tokens(accessToken: "a0", refreshToken: "r1")
}

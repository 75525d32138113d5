import Errand
import ErrandTesting
import Foundation

extension TourStep {
  static let refreshedOnce = TourStep("Forty requests with an expired token cause one refresh") { stage in
    let count = 40
    stage.server.on("GET", "/me") { request in
      .response(
        status: request.fields["Authorization"] == "Bearer new" ? 200 : 401, body: request.query ?? "")
    }
    stage.server.on("POST", "/token") { _ in
      .response(body: #"{"access_token":"new","refresh_token":"next","expires_in":3600}"#)
    }
    let session = CredentialSession(
      OAuth2(tokenURL: stage.server.url("/token"), clientID: "tour"),
      credential: OAuth2.Tokens(accessToken: "old", refreshToken: "first"), identity: "Ada")
    let client = TourStage.makeClient { configuration in
      configuration.baseURL = stage.server.url("/")
      configuration.authentication = Authentication(session)
    }
    let calls = (0..<count).map { client.start(.get(stage.server.url("/me?\($0)")).bestEffort()) }
    var right = 0
    for (number, call) in calls.enumerated() where try await call.value.text == "\(number)" { right += 1 }
    stage.client("\(right) of \(count) requests received their response")
    let record = stage.server.requests
    let refreshes = record.count { $0.path == "/token" }
    stage.server("\(record.count - refreshes) requests for /me, \(refreshes) for /token")
    stage.promise("every request has its response", right == count)
    stage.promise("one refresh", refreshes == 1)
    try await session.signOut()
    let error = try await stage.failure(.signedOut) { try await client.send(.get(stage.server.url("/me"))) }
    stage.client(error.message)
    stage.promise("nothing is sent after the sign-out", stage.server.requests.count == record.count)
  }
}

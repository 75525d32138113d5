import Errand
import ErrandTesting
import Foundation

/// A user signs in with the browser. The server redirects the browser to a port of this machine, with a code that the
/// program exchanges for tokens.
@Sendable func signingIn(_ server: MockServer) async throws {
  // The server's page would ask for a password; this one redirects at once.
  server.on("GET", "/authorize") { request in
    let query = URLComponents(string: request.target)?.queryItems ?? []
    func value(_ name: String) -> String { query.first { $0.name == name }?.value ?? "" }
    return .redirect(302, to: "\(value("redirect_uri"))?code=7&state=\(value("state"))")
  }
  server.on("POST", "/token") { _ in
    .response(json: ["access_token": "secret", "refresh_token": "more", "token_type": "Bearer"])
  }
  server.on("POST", "/revoke") { _ in .response() }
  server.on("GET", "/me") { request in
    .response(status: request.fields["Authorization"] == "Bearer secret" ? 200 : 401, body: "Ann")
  }

  var method = OAuth2(tokenURL: server.url("/token"), clientID: "notes", scope: "read")
  method.authorizationURL = server.url("/authorize")
  method.revocationURL = server.url("/revoke")
  let session = CredentialSession(method)
  let client = Client { configuration in
    configuration.baseURL = server.url("/")
    configuration.authentication = Authentication(session)
  }

  // A program opens the page in the browser. Here, a request takes the browser's place.
  let browser = Client()
  let tokens = try await method.authorize(over: client) { page in try await browser.send(.get(page)) }
  try await session.signIn(tokens, identity: "ann")
  try show("signed in as \(try await client.send(.get("me")).text)", try await session.isSignedIn)

  try await session.signOut(revokingOver: client)
  try show("signed out, \(server.count("/revoke")) tokens revoked", try await !session.isSignedIn)
}

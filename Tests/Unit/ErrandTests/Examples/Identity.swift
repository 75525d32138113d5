// swift-format-ignore-file
import Errand
import Foundation

struct Identity {
  let file: URL
  let token: String
  let secret: String

  func configured() async throws {
    var configuration = ClientConfiguration()
    configuration.baseURL = URL(string: "https://api.example.com")
    configuration.authentication = .bearer(token)
    let client = Client(configuration: configuration)

    let prices = try await client.send(.get(pricesURL).unauthenticated())
    _ = prices
  }

  func signedIn() async throws {
    var configuration = ClientConfiguration()
    let session = CredentialSession(
      OAuth2(tokenURL: tokenURL, clientID: "app"), store: .file(file))
    configuration.authentication = Authentication(session)

    try await session.signIn(
      OAuth2.Tokens(accessToken: "…", refreshToken: "…"), identity: "user 7")

    try await session.signOut(clearingCache: true)
  }

  func signingIn(_ client: Client, _ session: CredentialSession<OAuth2>) async throws {
    var method = OAuth2(tokenURL: tokenURL, clientID: "notes", scope: "read")
    method.authorizationURL = URL(string: "https://login.example.com/authorize")
    let tokens = try await method.authorize(over: client) { url in print("Open \(url)") }
    try await session.signIn(tokens, identity: "ann")
  }

  func onAnotherDevice(_ client: Client, _ session: CredentialSession<OAuth2>, _ method: OAuth2) async throws {
    let tokens = try await method.authorizeDevice(over: client) { code in
      print("Open \(code.verificationURL), and enter \(code.userCode)")
    }
    try await session.signIn(tokens, identity: "ann")

    try await session.signOut(revokingOver: client)
  }

  func program() {
    var configuration = ClientConfiguration()
    var method = OAuth2(tokenURL: tokenURL, clientID: "nightly", clientSecret: secret)
    method.grant = .clientCredentials
    configuration.authentication = Authentication(CredentialSession(method))
  }

  struct SessionToken: Authenticator {
    func authenticate(_ request: Request, with token: String) -> Request {
      request.field("X-Session", token, isSecret: true)
    }

    func refresh(_ token: String?, _ refresh: CredentialRefresh) async throws -> String {
      do {
        return try await refresh.send(.post(tokenURL)).decode(String.self)
      } catch let error as RequestError where error.status == 403 {
        throw CredentialRejected(reason: "the session has ended")
      }
    }
  }

  func ownCredential() -> CredentialSession<SessionToken> {
    let session = CredentialSession(SessionToken(), credential: token, identity: "user 7")
    return session
  }

  func cookies() {
    var configuration = ClientConfiguration()
    configuration.cookies = CookieStore(file: file)
  }
}

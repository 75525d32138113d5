import Errand
import ErrandTesting
import Foundation

private struct Language: Interceptor {
  func intercept(_ request: Request, next: InterceptorChain) async throws -> Response {
    try await next(request.field("Accept-Language", "de"))
  }
}

/// Code around each call: here a header field.
@Sendable func interceptors(_ server: MockServer) async throws {
  server.on("GET", "/hello") { request in .response(body: request.fields["Accept-Language"] ?? "none") }
  let client = Client { configuration in configuration.interceptors = [Language()] }
  let text = try await client.send(.get(server.url("/hello"))).text
  try show("the server saw the language \(text)", text == "de")
}

private struct Session: Authenticator {
  let login: URL

  func authenticate(_ request: Request, with token: String) -> Request { request.bearer(token) }

  func refresh(_ token: String?, _ refresh: CredentialRefresh) async throws -> String {
    try await refresh.send(.post(login)).text
  }
}

/// A token that has expired is refreshed once, however many requests find that out.
@Sendable func credentials(_ server: MockServer) async throws {
  server.on("POST", "/login") { _ in .response(body: "token-2") }
  server.on("GET", "/me") { request in
    .response(status: request.fields["Authorization"] == "Bearer token-2" ? 200 : 401)
  }
  let session = CredentialSession(Session(login: server.url("/login")), credential: "token-1")
  let client = Client { configuration in
    configuration.baseURL = server.url("/")
    configuration.authentication = Authentication(session)
  }
  try await withThrowingTaskGroup { group in
    for _ in 0..<4 { group.addTask { try await client.send(.get("me")) } }
    try await group.waitForAll()
  }
  try show("4 requests, \(server.count("/login")) refresh", server.count("/login") == 1)
}

/// Cookies, kept apart for each user.
@Sendable func cookies(_ server: MockServer) async throws {
  server.on("GET", "/login") { _ in .response(fields: ["Set-Cookie": "id=7; HttpOnly"]) }
  server.on("GET", "/me") { request in .response(body: request.fields["Cookie"] ?? "no cookie") }
  let client = Client { configuration in configuration.cookies = CookieStore() }
  try await client.send(.get(server.url("/login")))
  let text = try await client.send(.get(server.url("/me"))).text
  try show("the next request sends \(text)", text == "id=7")
}

// swift-format-ignore-file
// `RecipeTests` runs what can be run in a test.
import Dispatch
import Errand
import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

// MARK: A service that ends on a signal

func runUntilStopped(_ client: Client, _ outbox: Outbox, _ work: @escaping @Sendable () async throws -> Void) async throws {
  try await untilSignal { try await work() }   // SIGINT or SIGTERM cancels the work, and its requests
  await outbox.close(within: .seconds(10))     // attempts in flight may end; other requests stay stored
  await client.shutdown(within: .seconds(5))
}

// MARK: One place to log

struct RequestLog: Interceptor {
  let write: @Sendable (String) -> Void

  func intercept(_ request: Request, next: InterceptorChain) async throws -> Response {
    let started = ContinuousClock.now
    do {
      let response = try await next(request)
      write("\(request): \(response.status.code) after \(started.duration(to: .now))")
      return response
    } catch where error.isCancellation {
      throw error  // the result is not needed any more
    } catch {
      write("\(error)")  // a sentence with the request, the attempt and the reason, without secrets
      throw error
    }
  }
}

func logged() -> Client {
  var configuration = ClientConfiguration()
  configuration.interceptors = [RequestLog { print($0) }]          // a line for each call
  configuration.attemptInterceptors = [RequestLog { print($0) }]   // a line for each attempt
  return Client(configuration: configuration)
}

// MARK: A token that is refreshed once

/// Makes the client at each launch. The session reads the tokens that are stored.
func makeClient(_ file: URL, _ tokenURL: URL) -> (client: Client, session: CredentialSession<OAuth2>) {
  let session = CredentialSession(OAuth2(tokenURL: tokenURL, clientID: "notes"), store: .file(file))
  var configuration = ClientConfiguration()
  configuration.baseURL = URL(string: "https://api.example.com")
  configuration.authentication = Authentication(session)
  return (Client(configuration: configuration), session)
}

/// Stores the tokens once, after the user has logged in.
func signIn(_ session: CredentialSession<OAuth2>, _ refreshToken: String) async throws {
  // Without an access token: it counts as expired, so the first request refreshes it.
  let tokens = OAuth2.Tokens(accessToken: "", refreshToken: refreshToken, expiry: .distantPast)
  try await session.signIn(tokens, identity: "ann")
}

// MARK: One server, one way to write JSON

struct Post: Codable, Sendable {
  var createdAt: Date
  var bodyText: String
}

func oneServer(_ id: String, _ text: String, _ draft: Post) async throws {
  var configuration = ClientConfiguration()
  configuration.baseURL = URL(string: "https://api.example.com/v1")
  configuration.jsonEncoder = {
    let encoder = JSONEncoder()
    encoder.keyEncodingStrategy = .convertToSnakeCase
    encoder.dateEncodingStrategy = .iso8601
    return encoder
  }
  configuration.jsonDecoder = {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    decoder.dateDecodingStrategy = .iso8601
    return decoder
  }
  let client = Client(configuration: configuration)

  let posts = try await client.send(.get(.path("users/\(id)/posts"), query: ["q": text])).decode([Post].self)
  try await client.send(.post("posts", json: draft))
  let raw = try await client.send(.get("posts")).decode([Post].self, decoder: JSONDecoder())  // this call's own
  _ = (posts, raw)
}

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

// MARK: A service that is told to stop

func runUntilStopped(_ client: Client, _ outbox: Outbox, _ work: @escaping @Sendable () async throws -> Void) async throws {
  let (stops, told) = AsyncStream<Void>.makeStream()
  let sources = [SIGINT, SIGTERM].map { number in
    signal(number, SIG_IGN)  // or the signal would end the process
    let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
    source.setEventHandler { @Sendable in told.finish() }  // runs on the queue, on no actor
    source.activate()
    return source
  }
  defer { for source in sources { source.cancel() } }

  let task = Task {
    defer { told.finish() }
    try await work()
  }
  for await _ in stops {}                   // until a signal, or until the work is done
  task.cancel()                             // its requests end with it
  let result = await task.result
  await outbox.close(within: .seconds(10))  // attempts under way may end; what is left stays stored
  await client.shutdown(within: .seconds(5))
  if case .failure(let error) = result, !error.isCancellation { throw error }
}

// MARK: One place to log

struct RequestLog: Interceptor {
  let write: @Sendable (String) -> Void

  func intercept(_ request: Request, next: Next) async throws -> Response {
    let started = ContinuousClock.now
    do {
      let response = try await next(request)
      write("\(request): \(response.status.code) after \(started.duration(to: .now))")
      return response
    } catch where error.isCancellation {
      throw error  // no caller waits for it any more
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

// MARK: A call that others join

/// Refreshes a token once, however many requests find it stale.
actor TokenStore {
  private struct Token: Decodable {
    let accessToken: String
  }

  private let client: Client  // without `Authorize`: a refresh must not wait for itself
  private let request: Request
  private var token = ""
  private var refresh: Call?

  init(_ client: Client, refreshing request: Request) {
    self.client = client
    self.request = request
  }

  /// Returns the token; a new one if `stale` is the newest there is.
  func token(insteadOf stale: String = "") async throws -> String {
    if token != stale { return token }
    let call = refresh ?? client.start(request)  // goes on when the request that began it is cancelled
    refresh = call
    defer { if refresh === call, call.outcome != nil { refresh = nil } }
    let response = try await call.value
    if refresh === call { token = try response.decode(Token.self).accessToken }  // the first to wake stores it
    return token
  }
}

struct Authorize: Interceptor {
  let tokens: TokenStore

  func intercept(_ request: Request, next: Next) async throws -> Response {
    let token = try await tokens.token()
    do {
      return try await next(request.bearer(token))
    } catch let error as RequestError where error.status == 401 {
      return try await next(request.bearer(try await tokens.token(insteadOf: token)))
    }
  }
}

func authorized(_ tokenURL: URL, _ refreshToken: String) -> Client {
  let tokens = TokenStore(Client(), refreshing: .post(tokenURL, .form(["grant_type": "refresh_token", "refresh_token": refreshToken])))
  var configuration = ClientConfiguration()
  configuration.attemptInterceptors = [Authorize(tokens: tokens)]
  return Client(configuration: configuration)
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

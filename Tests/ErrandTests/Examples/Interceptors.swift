// swift-format-ignore-file
import Errand
import Foundation

private enum AroundEveryRequest {
  static func configured() {
    struct Language: Interceptor {
      let code: String

      func intercept(_ request: Request, next: InterceptorChain) async throws -> Response {
        try await next(request.field("Accept-Language", code))
      }
    }

    var configuration = ClientConfiguration()
    configuration.interceptors = [Language(code: "de")]   // around the call, once
    configuration.attemptInterceptors = [Logging()]       // around each attempt, closest to the network
    let client = Client(configuration: configuration)
    _ = client
  }

  struct Logging: Interceptor {
    func intercept(_ request: Request, next: InterceptorChain) async throws -> Response {
      do {
        let response = try await next(request)
        show("\(request.method) \(response.url): \(response.status) in \(response.timing.total)")
        return response
      } catch {
        show("attempt \(next.attempt): \(error)")
        throw error
      }
    }
  }

  struct Bearer: Interceptor {
    let tokens: Tokens

    func intercept(_ request: Request, next: InterceptorChain) async throws -> Response {
      let token = try await tokens.current()
      do {
        return try await next(request.bearer(token))
      } catch let error as RequestError where error.status == 401 && request.body.isReplayable {
        return try await next(request.bearer(try await tokens.refreshed(insteadOf: token)))
      }
    }
  }

  actor Tokens {
    private let client: Client   // one without this interceptor
    private var token = ""
    private var refresh: Task<String, any Error>?

    init(_ client: Client) { self.client = client }

    func current() async throws -> String {
      token.isEmpty ? try await refreshed(insteadOf: token) : token
    }

    func refreshed(insteadOf old: String) async throws -> String {
      if token != old { return token }
      let task =
        refresh
        ?? Task {
          defer { refresh = nil }
          token = try await client.send(.post(tokenURL)).text
          return token
        }
      refresh = task
      return try await task.value
    }
  }

  struct HubSignature: RequestSigner {
    let key: Data

    func sign(_ request: inout OutgoingRequest) async throws {
      let body = try await request.body.bytes(limit: 10 << 20)
      request.fields.set("X-Hub-Signature-256", "sha256=\(hmac(body, key))", isSecret: true)
    }
  }

  static func sendsSigned(_ client: Client, _ key: Data) async throws {
    try await client.send(.post(hookURL, json: Message()).signed(by: HubSignature(key: key)))
  }

  struct StripeSignature: Interceptor {
    let key: Data

    func intercept(_ request: Request, next: InterceptorChain) async throws -> Response {
      let time = Int(Date().timeIntervalSince1970)
      let body = try await request.body.bytes(limit: 10 << 20)
      let signature = hmac(Data("\(time).".utf8) + body, key)
      return try await next(
        request.field("Stripe-Signature", "t=\(time),v1=\(signature)", isSecret: true))
    }
  }
}

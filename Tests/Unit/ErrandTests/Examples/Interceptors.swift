// swift-format-ignore-file
import Errand
import ErrandSigning
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
        print("\(request.method) \(response), in \(response.timing.total)")
        return response
      } catch {
        print("attempt \(next.attempt): \(error)")
        throw error
      }
    }
  }

  struct Maintenance: Interceptor {
    func intercept(_ request: Request, next: InterceptorChain) async throws -> Response {
      guard let url = request.url, url.path() == "/status" else { return try await next(request) }
      return Response(status: 200, fields: ["Content-Type": "text/plain"], data: Data("closed".utf8), url: url)
    }
  }

  struct DeviceKey: Interceptor {
    let key: @Sendable () async throws -> String

    func intercept(_ request: Request, next: InterceptorChain) async throws -> Response {
      try await next(request.field("X-Device", try await key(), isSecret: true))
    }
  }

  struct HubSignature: RequestSigner {
    let key: SharedKey

    func sign(_ request: inout OutgoingRequest) async throws {
      let code = try key.sign(try await request.body.bytes(limit: 10 << 20))
      let text = code.map { String(format: "%02x", $0) }.joined()
      request.fields.set("X-Hub-Signature-256", "sha256=\(text)", isSecret: true)
    }
  }

  static func sendsSigned(_ client: Client) async throws {
    let key = try SharedKey(Data("at least 32 unpredictable bytes".utf8))
    try await client.send(.post(hookURL, json: Message()).signed(by: HubSignature(key: key)))
  }

  struct StripeSignature: Interceptor {
    let key: SharedKey

    func intercept(_ request: Request, next: InterceptorChain) async throws -> Response {
      let time = Int(Date().timeIntervalSince1970)
      let body = try await request.body.bytes(limit: 10 << 20)
      let code = try key.sign(Data("\(time).".utf8) + body)
      let text = code.map { String(format: "%02x", $0) }.joined()
      return try await next(
        request.field("Stripe-Signature", "t=\(time),v1=\(text)", isSecret: true))
    }
  }
}

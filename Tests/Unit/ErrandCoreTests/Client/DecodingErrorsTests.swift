import ErrandTesting
import Testing

@testable import ErrandCore

/// Decodes responses long after their requests have ended, and examines the errors.
@Suite(.timeLimit(.minutes(1))) struct DecodingErrorsTests {
  private struct Value: Decodable { let name: String }

  private static func error(of response: Response) -> String? {
    do {
      _ = try response.decode(Value.self)
      return nil
    } catch {
      return "\(error)"
    }
  }

  private let request = Request.put("http://a.test/data?pass-key=hush&page=2", .none)
  private let named = "PUT http://a.test/data?pass-key=***&page=2: "

  private func stage(_ change: @escaping (inout ClientConfiguration) -> Void = { _ in }) -> Stage {
    Stage(
      configured: {
        $0.secrets = Secrets(queryItems: ["pass-key"])
        change(&$0)
      }, { _ in .response(body: "{}") })
  }

  @Test func `a decoding error names the method and the URL, without the client's own secrets`()
    async throws
  {
    let response = try await stage().client.send(request)
    #expect(try #require(Self.error(of: response)).hasPrefix(named))
  }

  @Test func `a decoding error of a shared or cached response names the method and the URL, too`()
    async throws
  {
    let stage = stage()
    for request in [request.shared(within: .seconds(9)), request.cached(as: "data")] {
      for _ in 0..<2 {
        #expect(try #require(Self.error(of: try await stage.client.send(request))).hasPrefix(named))
      }
    }
    #expect(stage.stub.requests.count == 2)
    await stage.settle()
  }

  /// Decodes each response that passes, and records the error.
  private final class Reads: Interceptor {
    let seen = Locked<[String]>([])

    func intercept(_ request: Request, next: InterceptorChain) async throws -> Response {
      let response = try await next(request)
      seen.withLock { $0.append(DecodingErrorsTests.error(of: response) ?? "") }
      return response
    }
  }

  @Test(arguments: [true, false])
  func `a decoding error in an interceptor names the method and the URL, too`(aroundCall: Bool) async throws {
    let reads = Reads()
    let stage = stage {
      if aroundCall { $0.interceptors = [reads] } else { $0.attemptInterceptors = [reads] }
    }
    _ = try await stage.client.send(request)
    #expect(reads.seen.withLock { $0 }.map { $0.hasPrefix(named) } == [true])
  }

  private struct Responds: Interceptor {
    func intercept(_ request: Request, next: InterceptorChain) async throws -> Response {
      Response(status: 200, url: try #require(request.url))
    }
  }

  @Test func `a decoding error of a response that an interceptor made names the method and the URL, too`()
    async throws
  {
    let stage = stage { $0.interceptors = [Responds()] }
    #expect(try #require(Self.error(of: try await stage.client.send(request))).hasPrefix(named))
  }
}

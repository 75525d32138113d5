import ErrandCore
import ErrandCurl

/// Makes the client that the command line describes.
struct ClientBuilder {
  let transfer: Transfer
  let console: Console

  func client() throws -> Client {
    var configuration = ClientConfiguration()
    if let timeout = transfer.timeout { configuration.timeout = timeout }
    configuration.deadline = transfer.deadline
    configuration.retry = .attempts(transfer.retries + 1)
    if !transfer.followsRedirects { configuration.redirects.limit = 0 }
    if transfer.retries > 0 || transfer.isVerbose || transfer.target == .standardOutput {
      configuration.attemptInterceptors = [
        AttemptObserver(
          lastAttempt: transfer.retries + 1, takesAnyStatus: transfer.target == .standardOutput,
          console: transfer.isVerbose ? console : nil)
      ]
    }
    return Client(transport: try transfer.connection.transport(), configuration: configuration)
  }
}

extension ConnectionArguments {
  func transport() throws -> CurlTransport {
    var configuration = CurlConfiguration()
    if let path = authorities {
      // Otherwise a missing file would fail only at the first TLS handshake.
      _ = try FileDescriptor(reading: path).length()
      configuration.certificateAuthorityFile = path
    }
    configuration.pinnedPublicKeys = pins
    configuration.hostOverrides = overrides.map {
      CurlConfiguration.HostOverride(host: $0.host, port: $0.port, address: $0.address)
    }
    if let proxy { configuration.proxy = proxy == "none" ? .none : .url(proxy) }
    return CurlTransport(configuration: configuration)
  }
}

/// Reports each attempt, and accepts any status when no other attempt can follow: the response's body is
/// shown whole then, while an error carries only its first part.
struct AttemptObserver: Interceptor {
  let lastAttempt: Int
  let takesAnyStatus: Bool
  /// Nil to report nothing.
  let console: Console?

  func intercept(_ request: Request, next: Next) async throws -> Response {
    let mayRepeat = request.method.isIdempotent || request.fields.contains("Idempotency-Key")
    let isLast = next.attempt >= lastAttempt || !mayRepeat || !request.body.isReplayable
    console?.say("* attempt \(next.attempt): \(request)")
    do {
      return try await next(takesAnyStatus && isLast ? request.acceptingAnyStatus() : request)
    } catch let error as RequestError {
      console?.say("* attempt \(next.attempt): \(error.message)")
      throw error
    }
  }
}

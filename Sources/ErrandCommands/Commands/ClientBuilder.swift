import ErrandCore
import ErrandCurl

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Makes the client that the command line describes.
struct ClientBuilder {
  let transfer: Transfer
  let login: Login
  let console: Console
  let listeners: [any EventListener]
  let cache: DiskResponseCache?
  /// False for a command that shows no response with an error status.
  var acceptsAnyStatus = true

  func client() throws -> Client {
    var configuration = ClientConfiguration()
    configuration.listeners = listeners
    if let timeout = transfer.timeout { configuration.timeout = timeout }
    configuration.connectTimeout = transfer.connectTimeout
    configuration.deadline = transfer.deadline
    configuration.retry = .attempts(transfer.retries + 1)
    if !transfer.followsRedirects { configuration.redirects.limit = 0 }
    if let cache {
      configuration.cache = .http(cache)
      // A server may respond to each client certificate with other content.
      if let certificate = transfer.certificate { configuration.identity = { "certificate \(certificate)" } }
      configuration.onCacheFailure = { [console] in console.say("errand: the cache failed: \($0)") }
    }
    login.configure(&configuration)
    let transport = try transfer.connection.transport()
    // A signer corrects its clock from the error of a response, so signed requests must not accept error statuses.
    let takesAnyStatus =
      acceptsAnyStatus && transfer.target == .standardOutput
      && (login.signer == nil || login.verification != nil)
    let log = transfer.isVerbose ? WireLog(transport, console) : nil
    if transfer.retries > 0 || transfer.isVerbose || takesAnyStatus {
      configuration.attemptInterceptors = [
        AttemptObserver(
          lastAttempt: transfer.retries + 1, takesAnyStatus: takesAnyStatus, log: log)
      ]
    }
    return Client(transport: log ?? transport, configuration: configuration)
  }
}

extension ConnectionArguments {
  func transport() throws -> CurlTransport {
    var configuration = CurlConfiguration()
    if let path = authorities {
      switch try FilePlace(path) {
      case .special, .descriptor:
        configuration.certificateAuthorities = try FileDescriptor.contents(of: path, limit: 16 << 20)
      case .regular, .folder:
        // Otherwise a missing file would fail only at the first TLS handshake.
        _ = try FileDescriptor(reading: path).length()
        configuration.certificateAuthorityFile = path
      }
    }
    configuration.tls = tls
    if let path = keyPasswordFile, let certificate = tls.clientCertificate {
      configuration.tls.clientCertificate = certificate.decrypted(
        with: try SecretFile.password(in: path).text)
    }
    configuration.hostOverrides = overrides.map {
      CurlConfiguration.HostOverride(host: $0.host, port: $0.port, address: $0.address)
    }
    if let proxy { configuration.proxy = proxy == "none" ? .none : .url(proxy) }
    configuration.proxyCredential = proxyCredential
    let transport = CurlTransport(configuration: configuration)
    // Otherwise an outbox would attempt its requests endlessly with a configuration that cannot work.
    if tls.clientCertificate != nil || proxyCredential != nil { try transport.checkConfiguration() }
    return transport
  }
}

/// Reports each attempt, and accepts any status in the last one. The whole body of an error response can be shown
/// then, while an error carries only its first part.
struct AttemptObserver: Interceptor {
  let lastAttempt: Int
  let takesAnyStatus: Bool
  /// Nil to report nothing.
  let log: WireLog?

  func intercept(_ request: Request, next: InterceptorChain) async throws -> Response {
    let mayRepeat = request.method.isIdempotent || request.fields.contains("Idempotency-Key")
    let isLast = next.attempt >= lastAttempt || !mayRepeat || !request.body.isReplayable
    log?.begin(next.attempt, request)
    do {
      return try await next(takesAnyStatus && isLast ? request.acceptingAnyStatus() : request)
    } catch let error as RequestError {
      log?.end(next.attempt, error)
      throw error
    }
  }
}

/// Reports each attempt, the requests that its redirects lead to, and their header fields without secrets.
/// It does not see `Host`, `Accept`, `Accept-Encoding` and `Content-Length`, which the transport adds.
final class WireLog: Transport {
  private struct State {
    var isFirst = true
    var status: HTTPStatus?
  }

  private let transport: any Transport
  private let console: Console
  /// The last response of the attempt in flight.
  private let last = Locked(State())

  init(_ transport: any Transport, _ console: Console) {
    self.transport = transport
    self.console = console
  }

  func begin(_ attempt: Int, _ request: Request) {
    last.withLock { $0 = State() }
    console.say("* attempt \(attempt): \(request)")
  }

  func end(_ attempt: Int, _ error: RequestError) { console.say("* attempt \(attempt): \(error.message)") }

  func perform(_ exchange: Exchange) async throws -> TransferResult {
    let request = exchange.request
    let last = last.withLock { last in
      defer { last = State(isFirst: false) }
      return last
    }
    if !last.isFirst {
      let cause = last.status.map { "\($0)" } ?? "a response"
      console.say("* \(cause) leads to \(Request(request.method, request.url))")
    }
    for field in request.fields {
      console.say("> \(field.name): \(Secrets.standard.hides(field) ? "***" : field.value)")
    }
    let result = try await transport.perform(exchange)
    self.last.withLock { $0.status = result.head.status }
    return result
  }

  func shutdown() async { await transport.shutdown() }
}

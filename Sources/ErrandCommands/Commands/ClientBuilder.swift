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
  let connections: Connections
  /// True for a command that shows the whole body of a response with an error status.
  var acceptsAnyStatus = false
  /// Limits the wait for the head of a response; nil for the usual time-out alone.
  var headTimeout: HeadTimeout?
  /// The body that `--print B` shows.
  var body = RequestBody.none
  /// The only URL whose path `-v` and `--print H` show; nil for every path. That of an upload is as good as a password.
  var onlyShownURL: URL?

  func client() throws -> Client {
    var configuration = ClientConfiguration()
    configuration.listeners = listeners
    if let timeout = transfer.timeout { configuration.timeout = timeout }
    configuration.connectTimeout = transfer.connectTimeout
    configuration.deadline = transfer.deadline
    configuration.retry = .attempts(transfer.retries + 1)
    if let redirects = transfer.redirects { configuration.redirects.limit = redirects }
    for name in transfer.omittedFields { configuration.fields[name] = nil }
    if let cache {
      configuration.cache = .http(cache)
      // A server may respond to each client certificate with other content.
      if let certificate = transfer.certificate { configuration.identity = { "certificate \(certificate)" } }
      configuration.onCacheFailure = { [console] in console.say("errand: the cache failed: \($0)") }
    }
    login.configure(&configuration)
    let transport: any Transport =
      transfer.isOffline
      ? OfflineTransport(output: console.output, transfer: transfer)
      : try connections.transport(for: Connections.Use(transfer)) {
        try transfer.connection.transport(console, onSentHead: sentHead)
      }
    // A signer corrects its clock from the error of a response, so signed requests must not accept error statuses.
    let takesAnyStatus =
      acceptsAnyStatus && (login.signer == nil || login.verification != nil)
    let log = transfer.isVerbose ? WireLog(transport, console) : nil
    if transfer.retries > 0 || transfer.isVerbose || takesAnyStatus {
      configuration.attemptInterceptors = [
        AttemptObserver(
          lastAttempt: transfer.retries + 1, takesAnyStatus: takesAnyStatus, log: log)
      ]
    }
    if let headTimeout { configuration.attemptInterceptors.append(headTimeout) }
    return Client(transport: log ?? transport, configuration: configuration)
  }

  /// Prints each request as it is sent; nil if no option asks for it.
  private var sentHead: (@Sendable (String) -> Void)? {
    let parts = transfer.parts ?? []
    guard transfer.isVerbose || !parts.isDisjoint(with: .request) else { return nil }
    return { [transfer, console, body, onlyShownURL] head in
      let lines = SentHead.masked(head, showing: onlyShownURL)
      if transfer.isVerbose { for line in lines { console.say("> \(line)") } }
      if parts.contains(.requestHead) {
        try? console.output.write(head: lines)
      }
      if parts.contains(.requestBody), !body.isNone { try? Self.show(body, console.output) }
    }
  }

  /// Shows a body in memory; of another one its length, because it may be read only once.
  private static func show(_ body: RequestBody, _ output: OutputDescriptor) throws {
    if case .bytes(let data) = body.layout {
      var writer = BodyWriter(output, laysOut: body.contentType)
      try writer.write(data)
      try writer.finish()
    } else {
      try output.write("(a body of \(body.length.map { "\($0) bytes" } ?? "unknown length"))")
    }
    try output.write("\n\n")
  }
}

extension ConnectionArguments {
  /// - Parameter onSentHead: Called with the head of each request as it is sent.
  func transport(_ console: Console, onSentHead: (@Sendable (String) -> Void)? = nil) throws -> CurlTransport
  {
    if acceptsAnyCertificate {
      console.say("errand: warning: -k accepts any certificate, so anybody may read and change what is sent")
    }
    var configuration = CurlConfiguration()
    configuration.onSentHead = onSentHead
    configuration.acceptsAnyCertificate = acceptsAnyCertificate
    configuration.addressFamily = addressFamily
    configuration.unixSocket = unixSocket
    configuration.bytesPerSecond = bytesPerSecond
    configuration.omittedFields = omittedFields
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

/// Reports an attempt whose response does not begin in time. A stream of events has no other time-out for that.
struct HeadTimeout: Interceptor {
  let limit: Duration
  let onTimeout: @Sendable () -> Void

  func intercept(_ request: Request, next: InterceptorChain) async throws -> Response {
    let timer = Task {
      try await Task.sleep(for: limit)
      onTimeout()
    }
    defer { timer.cancel() }
    return try await next(request)
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

/// Reports each attempt, and the requests that its redirects lead to.
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
    let result = try await transport.perform(exchange)
    self.last.withLock { $0.status = result.head.status }
    return result
  }

  func shutdown() async { await transport.shutdown() }
}

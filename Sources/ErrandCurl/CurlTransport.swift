public import ErrandCore

/// The transport on libcurl: HTTP/1.1 and HTTP/2, with connection reuse and few threads for all transfers.
///
/// The transport runs transfers on separate threads (`CurlConfiguration.threads`), which start with their
/// first request. Responses are decompressed (gzip, deflate, brotli and zstd) only as fast as their sinks
/// take them. TLS certificates are always verified.
///
/// libcurl would repeat a request when a kept-alive connection closes before any response. The transport
/// prevents that, and reports whether the server may have the request. The client then decides whether to
/// repeat it.
public final class CurlTransport: Transport {
  private let threads: CurlThreads

  /// Makes a transport. Its threads start with their first request.
  public init(configuration: CurlConfiguration = CurlConfiguration()) {
    threads = CurlThreads(configuration)
  }

  deinit { threads.stop() }

  /// True if the transport uses HTTP/2, which needs libcurl 8.19 or later, built with nghttp2.
  ///
  /// An older libcurl reports requests that the server has not processed as lost, and whole responses as
  /// failures. Version 7.88 mixes up the streams of a connection, and 8.14 ends the process when a server
  /// restarts. With an older libcurl, `.automatic` means HTTP/1.1, and a request with `.httpVersion(.http2)`
  /// fails with `RequestError(.unsupported)`.
  public static let supportsHTTP2 = CurlOptions.supportsHTTP2

  /// The names and versions of libcurl and of the libraries that it uses.
  package static var libraries: String { CurlOptions.libraries }
  /// The reason why the transport does not use HTTP/2; nil if it does.
  package static var http2Problem: String? { CurlOptions.http2Problem }

  /// Runs tasks on the transport's thread, so that a request and its response need no switch of threads.
  ///
  ///
  ///     try await withTaskExecutorPreference(transport.executor) {
  ///       for url in urls { try await client.send(.get(url)) }
  ///     }
  ///
  /// Use it in programs that do little between their requests, to avoid waking another thread for each of
  /// them. While such a task runs, the transport does nothing else. Long or blocking work delays every other
  /// request, and a task that blocks until another request has ended waits forever. After `shutdown`, tasks
  /// run on Swift's global executor.
  public var executor: any TaskExecutor { threads.first }

  /// Checks the configuration, so that a program can report at its start that requests cannot be sent.
  /// - Throws: The error with which every request would fail.
  public func checkConfiguration() throws(RequestError) {
    guard let problem = threads.options.problem else { return }
    throw RequestError(problem.code, message: problem.message, reachedServer: false)
  }

  /// Performs one attempt on the thread that is chosen for its origin.
  public func perform(_ exchange: Exchange) async throws -> TransferResult {
    if let problem = threads.options.problem(of: exchange.request) {
      throw exchange.error(problem.code, problem.message, reachedServer: false)
    }
    let place = threads.enter(exchange)
    defer { place.leave() }
    let engine = place.engine
    let transfer = CurlTransfer(exchange, engine: engine)
    transfer.prepare()
    var handler: CancelHandlerID?
    defer { if let handler { exchange.removeCancelHandler(handler) } }
    try await withUnsafeThrowingContinuation { continuation in
      transfer.waiting.withLock { $0.waiter = continuation }
      handler = exchange.onCancel { transfer.cancel() }
      engine.start(transfer)
    }
    return try await transfer.complete()
  }

  /// True: listeners learn when each request is sent.
  public var tellsWhenRequestsGoOut: Bool { true }

  /// Fails the transfers in flight, closes all connections and ends the threads. Returns when the threads
  /// have ended. A later request fails with `RequestError(.cannotConnect)`.
  public func shutdown() async {
    await withCheckedContinuation { continuation in
      threads.stop { continuation.resume() }
    }
  }
}

extension CurlTransport: CustomReflectable {
  /// An empty mirror, because the configuration may contain passwords.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

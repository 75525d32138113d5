public import ErrandCore

/// The transport on libcurl: HTTP/1.1 and HTTP/2, with connection reuse and few threads for all transfers.
///
/// Transfers run on threads of the transport's own (`CurlConfiguration.threads`), which start with their first request.
/// Responses are
/// decompressed (gzip, deflate, brotli and zstd), no further than their sinks take them. TLS certificates are
/// always verified.
///
/// libcurl repeats a request by itself when a kept-alive connection turns out to be closed before any
/// response. The transport allows that only for requests that may be repeated.
public final class CurlTransport: Transport {
  private let threads: CurlThreads

  public init(configuration: CurlConfiguration = CurlConfiguration()) {
    threads = CurlThreads(configuration)
  }

  deinit { threads.stop() }

  /// True if HTTP/2 is spoken: with libcurl 8.19 or later, built with nghttp2.
  ///
  /// An older libcurl reports requests that the server has not processed as lost, and whole responses as failures; 7.88
  /// mixes the streams of a connection up, and 8.14 ends the process when a server restarts. With it `.automatic` is
  /// HTTP/1.1, and a request with `.httpVersion(.http2)` fails with `RequestError(.unsupported)`.
  public static let supportsHTTP2 = CurlOptions.supportsHTTP2

  /// Runs tasks on the transport's own thread, so that a request and its response change no thread.
  ///
  ///     try await withTaskExecutorPreference(transport.executor) {
  ///       for url in urls { try await client.send(.get(url)) }
  ///     }
  ///
  /// It is for programs that do little between their requests: nothing has to be woken for each of them. While such a
  /// task runs, the transport does nothing else: work that takes long, and all that blocks, delays every other request,
  /// and a task that blocks until another request has ended waits for ever. After `shutdown`, tasks run where others do.
  public var executor: any TaskExecutor { threads.first }

  /// Checks the configuration, so that a program can say at its start that nothing can be sent.
  /// - Throws: The error with which every request would fail.
  public func checkConfiguration() throws(RequestError) {
    guard let problem = threads.options.problem else { return }
    throw RequestError(problem.code, message: problem.message, reachedServer: false)
  }

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

  public var tellsWhenRequestsGoOut: Bool { true }

  public func shutdown() async {
    await withCheckedContinuation { continuation in
      threads.stop { continuation.resume() }
    }
  }
}

extension CurlTransport: CustomReflectable {
  /// Shows nothing of its configuration, in which passwords may be.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

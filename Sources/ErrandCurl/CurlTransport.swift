public import ErrandCore

/// The transport on libcurl: HTTP/1.1 and HTTP/2, connections kept and reused, one thread for all of them.
///
/// Transfers run on a thread of the transport's own, which starts with the first request. Answers are decompressed
/// (gzip, deflate, brotli and zstd), no further than their sinks take them. TLS is verified, always.
///
/// libcurl repeats a request by itself when a kept connection turns out to be closed before any answer. The transport
/// lets it do so for requests that may be repeated only.
public final class CurlTransport: Transport {
  private let engine: CurlEngine

  public init(configuration: CurlConfiguration = CurlConfiguration()) {
    engine = CurlEngine(configuration)
  }

  deinit { engine.stop() }

  public func perform(_ exchange: Exchange) async throws -> TransferResult {
    if let problem = engine.options.problem {
      throw exchange.error(.unsupported, problem, reachedServer: false)
    }
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

  public func shutdown() async {
    await withCheckedContinuation { continuation in
      engine.stop { continuation.resume() }
    }
  }
}

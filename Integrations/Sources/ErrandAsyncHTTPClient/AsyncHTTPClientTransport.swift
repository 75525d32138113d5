public import AsyncHTTPClient
public import Errand
public import NIOCore
import NIOHTTP1
import NIOHTTPCompression

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Performs attempts with AsyncHTTPClient, for servers that run on SwiftNIO's event loops.
///
/// ```swift
/// let client = Client(transport: AsyncHTTPClientTransport(eventLoopGroup: group))
/// ```
///
/// Redirects, decompression and tracing are Errand's, so the transport changes these settings of the configuration. Retries
/// of an HTTP request are Errand's as well; AsyncHTTPClient repeats only attempts to connect, until `timeout.connect`.
///
/// A request that asks for a connect time-out, for HTTP/2, or for HTTP/1 over https without `httpVersion = .http1Only`,
/// fails with `RequestError(.unsupported)`, and so does a body with trailers. Trailers of responses are not delivered.
public final class AsyncHTTPClientTransport: Transport {
  /// Decodes gzip and deflate.
  private let decoding: HTTPClient
  /// Delivers bodies as they were transferred.
  private let plain: HTTPClient
  private let isHTTP1: Bool

  /// Makes a transport with its own connections.
  /// - Parameters:
  ///   - eventLoopGroup: The event loops. Default: those that NIO's packages share.
  ///   - configuration: The settings of the connections, such as TLS, a proxy and the time-outs.
  public init(
    eventLoopGroup: any EventLoopGroup = HTTPClient.defaultEventLoopGroup,
    configuration: HTTPClient.Configuration = HTTPClient.Configuration()
  ) {
    var configuration = configuration
    configuration.redirectConfiguration = .disallow
    // Otherwise each request would get a second span and a second context.
    configuration.tracing.tracer = nil
    isHTTP1 = configuration.httpVersion == .http1Only
    configuration.decompression = .disabled
    plain = HTTPClient(eventLoopGroup: eventLoopGroup, configuration: configuration)
    // The sinks of responses limit the decoded bytes.
    configuration.decompression = .enabled(limit: .none)
    decoding = HTTPClient(eventLoopGroup: eventLoopGroup, configuration: configuration)
  }

  public func shutdown() async {
    for client in [plain, decoding] { try? await client.shutdown() }
  }

  public func perform(_ exchange: Exchange) async throws -> TransferResult {
    let reader = exchange.request.upload.reader
    defer { reader?.close() }
    if let problem = unsupported(exchange.request) {
      throw exchange.error(.unsupported, problem, reachedServer: false)
    }
    let watch = IdleWatch(exchange.request.timeout)
    let chunks = reader.map { UploadChunks($0, exchange, watch) }
    let transfer = Task { try await self.transfer(exchange, chunks, watch) }
    let idle = Task { await watch.whenIdle { transfer.cancel() } }
    let id = exchange.onCancel { transfer.cancel() }
    defer {
      exchange.removeCancelHandler(id)
      idle.cancel()
    }
    do {
      return try await transfer.value
    } catch {
      if watch.hasTimedOut {
        throw exchange.error(
          .timedOut, "no bytes were transferred for \(exchange.request.timeout)", reachedServer: true)
      }
      throw exchange.error(for: chunks?.failure ?? error)
    }
  }

  private func unsupported(_ request: Exchange.Request) -> String? {
    if request.upload.hasTrailers { return "AsyncHTTPClient does not send trailers" }
    if request.connectTimeout != nil {
      return
        "AsyncHTTPClient has one connect time-out for all requests; set timeout.connect of its configuration"
    }
    switch request.httpVersion {
    case .automatic: return nil
    case .http1 where isHTTP1 || request.url.scheme == "http": return nil
    case .http1:
      return "AsyncHTTPClient chooses the version for all requests; set httpVersion of its configuration"
    case .http2: return "AsyncHTTPClient cannot be made to use HTTP/2"
    }
  }

  private func transfer(
    _ exchange: Exchange, _ chunks: UploadChunks?, _ watch: IdleWatch
  ) async throws -> TransferResult {
    var request = HTTPClientRequest(url: exchange.request.url.absoluteString)
    request.method = NIOHTTP1.HTTPMethod(rawValue: exchange.request.method.rawValue)
    for field in exchange.request.fields { request.headers.add(name: field.name, value: field.value) }
    request.body = chunks.map { .stream($0, length: $0.length.map { .known($0) } ?? .unknown) }
    let decodes = exchange.request.decodesContent
    let response = try await (decodes ? decoding : plain).execute(request, deadline: .distantFuture)
    watch.moved()
    var fields = Errand.HTTPFields()
    for (name, value) in response.headers { fields.append(name, value) }
    let head = ResponseHead(status: HTTPStatus(Int(response.status.code)), fields: fields)
    var metrics = TransferMetrics()
    metrics.httpVersion =
      response.version.major == 2 ? .http2 : response.version == .http1_0 ? .http10 : .http11
    let sink = try SinkFailure.wrapping { try exchange.sink(for: head) }
    let drain = Signal()
    sink.onDrain { drain.set() }
    for try await buffer in response.body {
      watch.moved()
      if metrics.bytesReceived == 0, decodes, let coding = fields.undecodedCoding {
        throw exchange.error(
          .badEncoding, "the response has the content coding \(coding), which NIO does not decode",
          reachedServer: true)
      }
      metrics.bytesReceived += Int64(buffer.readableBytes)
      let signal = try SinkFailure.wrapping { try sink.write(Data(buffer.readableBytesView)) }
      // A slow consumer is not the server's silence.
      if signal == .wait { try await watch.pausing { try await drain.wait() } }
    }
    metrics.bytesSent = chunks?.sent ?? 0
    return TransferResult(head: head, metrics: metrics)
  }
}

extension Errand.HTTPFields {
  /// The content codings, if NIO leaves the body as it is; nil without a coding.
  fileprivate var undecodedCoding: String? {
    let coding = self["Content-Encoding"]?.lowercased() ?? ""
    return ["", "identity", "gzip", "deflate"].contains(coding) ? nil : coding
  }
}

// Stands in for async-http-client 1.30: the declarations that the integrations use. An `HTTPClientStandIn` performs the
// requests.
public import Logging
public import NIOCore
public import NIOHTTP1
public import NIOHTTPCompression
import NIOPosix
import Synchronization
public import Tracing

/// Performs the requests of one client in the place of NIO. It is not in the package.
public protocol HTTPClientStandIn: Sendable {
  func perform(_ request: HTTPClientRequest) async throws -> HTTPClientResponse
  func shutDown() async
}

public final class HTTPClient: Sendable {
  private static let makeStandIn = Mutex<(@Sendable (Configuration) -> any HTTPClientStandIn)?>(nil)

  /// Sets the function that makes the stand-in of each later client. It is not in the package.
  public static func setStandIn(_ make: @escaping @Sendable (Configuration) -> any HTTPClientStandIn) {
    makeStandIn.withLock { $0 = make }
  }

  public struct Configuration: Sendable {
    public struct RedirectConfiguration: Sendable, Equatable {
      private let limit: Int

      public static let disallow = RedirectConfiguration(limit: 0)

      public static func follow(max: Int, allowCycles: Bool) -> RedirectConfiguration {
        RedirectConfiguration(limit: max)
      }
    }

    public struct HTTPVersion: Sendable, Hashable {
      private let isHTTP1: Bool

      public static let http1Only = HTTPVersion(isHTTP1: true)
      public static let automatic = HTTPVersion(isHTTP1: false)
    }

    public var redirectConfiguration = RedirectConfiguration.follow(max: 5, allowCycles: false)
    public var decompression = Decompression.disabled
    public var httpVersion = HTTPVersion.automatic
    public var tracing = TracingConfiguration()

    public init() {}
  }

  public struct TracingConfiguration: Sendable {
    public var tracer: (any Tracer)? = InstrumentationSystem.tracer

    public init() {}
  }

  public enum Decompression: Sendable {
    case disabled
    case enabled(limit: NIOHTTPDecompression.DecompressionLimit)
  }

  public static var defaultEventLoopGroup: any EventLoopGroup { MultiThreadedEventLoopGroup.singleton }

  private let standIn: any HTTPClientStandIn
  private let isShutDown = Mutex(false)

  public init(
    eventLoopGroup: any EventLoopGroup = HTTPClient.defaultEventLoopGroup,
    configuration: Configuration = Configuration()
  ) {
    guard let make = Self.makeStandIn.withLock({ $0 }) else { preconditionFailure("call setStandIn first") }
    standIn = make(configuration)
  }

  public func execute(
    _ request: HTTPClientRequest, deadline: NIODeadline, logger: Logger? = nil
  ) async throws -> HTTPClientResponse {
    if isShutDown.withLock({ $0 }) { throw HTTPClientError.alreadyShutdown }
    return try await standIn.perform(request)
  }

  public func shutdown() async throws {
    let wasShutDown = isShutDown.withLock { isShutDown in
      defer { isShutDown = true }
      return isShutDown
    }
    if wasShutDown { throw HTTPClientError.alreadyShutdown }
    await standIn.shutDown()
  }
}

public struct HTTPClientRequest: Sendable {
  public var url: String
  public var method: HTTPMethod
  public var headers: HTTPHeaders
  public var body: Body?

  public init(url: String) {
    self.url = url
    method = .GET
    headers = HTTPHeaders()
  }

  public struct Body: Sendable, AsyncSequence {
    public typealias Element = ByteBuffer

    public struct Length: Sendable {
      /// Nil for an unknown length. It is not public in the package.
      public let count: Int64?

      public static let unknown = Length(count: nil)
      public static func known(_ count: Int64) -> Self { Length(count: count) }
    }

    /// It is not public in the package.
    public let length: Length
    private let makeNext: @Sendable () -> () async throws -> ByteBuffer?

    public static func bytes(_ byteBuffer: ByteBuffer) -> Self {
      Body(length: .known(Int64(byteBuffer.readableBytes))) {
        var rest: ByteBuffer? = byteBuffer
        return {
          defer { rest = nil }
          return rest
        }
      }
    }

    @preconcurrency
    public static func stream<SequenceOfBytes: AsyncSequence & Sendable>(
      _ sequenceOfBytes: SequenceOfBytes, length: Length
    ) -> Self where SequenceOfBytes.Element == ByteBuffer {
      Body(length: length) {
        var iterator = sequenceOfBytes.makeAsyncIterator()
        return { try await iterator.next() }
      }
    }

    private init(length: Length, _ makeNext: @escaping @Sendable () -> () async throws -> ByteBuffer?) {
      self.length = length
      self.makeNext = makeNext
    }

    public struct AsyncIterator: AsyncIteratorProtocol {
      fileprivate let produce: () async throws -> ByteBuffer?

      public mutating func next() async throws -> ByteBuffer? { try await produce() }
    }

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(produce: makeNext()) }
  }
}

public struct HTTPClientResponse: Sendable {
  public var version: HTTPVersion
  public var status: HTTPResponseStatus
  public var headers: HTTPHeaders
  public var body: Body

  public init(
    version: HTTPVersion = .http1_1, status: HTTPResponseStatus = .ok, headers: HTTPHeaders = [:],
    body: Body = Body()
  ) {
    self.version = version
    self.status = status
    self.headers = headers
    self.body = body
  }

  public struct Body: AsyncSequence, Sendable {
    public typealias Element = ByteBuffer

    private let makeNext: @Sendable () -> () async throws -> ByteBuffer?

    public init() { makeNext = { { nil } } }

    private init(_ makeNext: @escaping @Sendable () -> () async throws -> ByteBuffer?) {
      self.makeNext = makeNext
    }

    public static func stream<SequenceOfBytes>(_ sequenceOfBytes: SequenceOfBytes) -> Self
    where SequenceOfBytes: AsyncSequence & Sendable, SequenceOfBytes.Element == ByteBuffer {
      Body {
        var iterator = sequenceOfBytes.makeAsyncIterator()
        return { try await iterator.next() }
      }
    }

    public struct AsyncIterator: AsyncIteratorProtocol {
      fileprivate let produce: () async throws -> ByteBuffer?

      public mutating func next() async throws -> ByteBuffer? { try await produce() }
    }

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(produce: makeNext()) }
  }
}

public struct HTTPClientError: Error, Equatable, CustomStringConvertible {
  public let shortDescription: String

  private init(_ description: String) { shortDescription = description }

  public var description: String { "HTTPClientError.\(shortDescription)" }

  public static let alreadyShutdown = HTTPClientError("Already shutdown")
  public static let readTimeout = HTTPClientError("Read timeout")
  public static let writeTimeout = HTTPClientError("Write timeout")
  public static let remoteConnectionClosed = HTTPClientError("Remote connection closed")
  public static let cancelled = HTTPClientError("Cancelled")
  public static let invalidProxyResponse = HTTPClientError("Invalid proxy response")
  public static let proxyAuthenticationRequired = HTTPClientError("Proxy authentication required")
  public static let uncleanShutdown = HTTPClientError("Unclean shutdown")
  public static let bodyLengthMismatch = HTTPClientError("Body length mismatch")
  public static let connectTimeout = HTTPClientError("Connect timeout")
  public static let socksHandshakeTimeout = HTTPClientError("SOCKS handshake timeout")
  public static let httpProxyHandshakeTimeout = HTTPClientError("HTTP proxy handshake timeout")
  public static let tlsHandshakeTimeout = HTTPClientError("TLS handshake timeout")
  public static let getConnectionFromPoolTimeout = HTTPClientError("Get connection from pool timeout")
  public static let deadlineExceeded = HTTPClientError("Deadline exceeded")
}

// Stands in for swift-nio 2.81 (NIOPosix): the declarations that the integrations use. The event loops are declared only.
public import NIOCore

public final class MultiThreadedEventLoopGroup: EventLoopGroup {
  public static let singleton = MultiThreadedEventLoopGroup()

  private init() {}
}

public struct SingleConnectionFailure: Sendable {
  public let error: any Error

  public init(error: any Error) { self.error = error }
}

public struct NIOConnectionError: Error {
  public let host: String
  public let port: Int
  public let dnsAError: (any Error)?
  public let dnsAAAAError: (any Error)?
  public let connectionErrors: [SingleConnectionFailure]

  /// It is not public in the package.
  public init(
    host: String, port: Int, dnsAError: (any Error)? = nil, connectionErrors: [SingleConnectionFailure] = []
  ) {
    self.host = host
    self.port = port
    self.dnsAError = dnsAError
    dnsAAAAError = dnsAError
    self.connectionErrors = connectionErrors
  }
}

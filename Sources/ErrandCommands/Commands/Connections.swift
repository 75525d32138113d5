import ErrandCore
import ErrandCurl

/// The transports of one command. Requests with the same options share one, and so its connections.
final class Connections: Sendable {
  /// The options of a transport, which are those of all requests that it sends.
  struct Use: Hashable {
    let options: ConnectionArguments
    let isVerbose: Bool
    let parts: PrintedParts
    let body: BodyArgument

    init(_ transfer: Transfer) {
      options = transfer.connection
      isVerbose = transfer.isVerbose
      parts = transfer.parts ?? []
      body = transfer.body
    }
  }

  private let transports = Locked<[Use: CurlTransport]>([:])

  init() {}

  func transport(for use: Use, make: () throws -> CurlTransport) rethrows -> CurlTransport {
    try transports.withLock { transports in
      if let known = transports[use] { return known }
      let transport = try make()
      transports[use] = transport
      return transport
    }
  }
}

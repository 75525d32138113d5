import ErrandCurl
import ErrandURLSession

/// The clients that the benchmark can measure.
enum ClientKind: String, CaseIterable {
  case errand
  /// Errand, with the tasks on its transport's thread.
  case errandOnExecutor = "errand-executor"
  case libcurl
  /// libcurl with its socket interface, for programs that poll the sockets themselves.
  case libcurlOnSockets = "libcurl-sockets"
  case urlsession
  /// Errand on its other transport, which is measured only on request.
  case errandOnURLSession = "errand-urlsession"

  static var usual: [ClientKind] {
    #if os(Linux)
      [.errand, .errandOnExecutor, .libcurl, .libcurlOnSockets, .urlsession]
    #else
      [.errand, .errandOnExecutor, .libcurl, .urlsession]
    #endif
  }

  func load(_ work: Work) throws -> any Load {
    var configuration = CurlConfiguration()
    configuration.certificateAuthorityFile = work.authorities
    if let threads = work.threads { configuration.threads = threads }
    switch self {
    case .errand: return ErrandLoad(CurlTransport(configuration: configuration), work)
    case .errandOnExecutor:
      let transport = CurlTransport(configuration: configuration)
      return ErrandLoad(transport, work, executor: transport.executor)
    case .errandOnURLSession:
      return ErrandLoad(
        URLSessionTransport(configuration: Self.configuration(work.concurrency)), work)
    case .libcurl: return try LibcurlLoad(work)
    case .libcurlOnSockets: return try LibcurlLoad(work, onSockets: true)
    case .urlsession: return try URLSessionLoad(url: work.url, concurrency: work.concurrency)
    }
  }

  /// Returns the number of requests of a round. It is smaller for a slow client, so that rounds take similar
  /// times.
  func requests(of total: Int, concurrency: Int) -> Int {
    switch self {
    case .errand, .errandOnExecutor, .libcurl, .libcurlOnSockets: total
    case .urlsession, .errandOnURLSession: max(total / 10, min(total, concurrency * 4))
    }
  }

  private static func configuration(_ concurrency: Int) -> URLSessionTransportConfiguration {
    var configuration = URLSessionTransportConfiguration()
    configuration.maxConnectionsPerHost = concurrency
    return configuration
  }
}

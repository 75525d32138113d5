import ErrandCurl
import ErrandURLSession

/// The clients that can be measured.
enum ClientKind: String, CaseIterable {
  case errand
  /// Errand, with the tasks on the thread of its transport.
  case errandOnExecutor = "errand-executor"
  case libcurl
  /// libcurl, with the interface for programs that wait for their sockets themselves.
  case libcurlOnSockets = "libcurl-sockets"
  case urlsession
  /// Errand on its other transport; measured only on request.
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

  /// Returns the requests of a round: fewer for a slow client, so that a round takes about as long for each.
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

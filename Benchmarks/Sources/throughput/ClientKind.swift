import ErrandCurl
import ErrandURLSession

/// The clients that can be measured.
enum ClientKind: String, CaseIterable {
  case errand
  /// Errand, with the tasks on the thread of its transport.
  case errandOnExecutor = "errand-executor"
  case libcurl
  case urlsession
  /// Errand on its other transport; measured only on request.
  case errandOnURLSession = "errand-urlsession"

  static let usual: [ClientKind] = [.errand, .libcurl, .urlsession]

  func load(url: String, concurrency: Int) throws -> any Load {
    switch self {
    case .errand: ErrandLoad(CurlTransport(), url: url, concurrency: concurrency)
    case .errandOnExecutor:
      {
        let transport = CurlTransport()
        return ErrandLoad(transport, url: url, concurrency: concurrency, executor: transport.executor)
      }()
    case .errandOnURLSession:
      ErrandLoad(
        URLSessionTransport(configuration: Self.configuration(concurrency)), url: url,
        concurrency: concurrency)
    case .libcurl: LibcurlLoad(url: url, concurrency: concurrency)
    case .urlsession: try URLSessionLoad(url: url, concurrency: concurrency)
    }
  }

  /// Returns the requests of a round: fewer for a slow client, so that a round takes about as long for each.
  func requests(of total: Int, concurrency: Int) -> Int {
    switch self {
    case .errand, .errandOnExecutor, .libcurl: total
    case .urlsession, .errandOnURLSession: max(total / 10, min(total, concurrency * 4))
    }
  }

  private static func configuration(_ concurrency: Int) -> URLSessionTransportConfiguration {
    var configuration = URLSessionTransportConfiguration()
    configuration.maxConnectionsPerHost = concurrency
    return configuration
  }
}

/// The clients that can be measured.
enum ClientKind: String, CaseIterable {
  case errand
  case libcurl
  case urlsession

  func load(url: String, concurrency: Int) throws -> any Load {
    switch self {
    case .errand: ErrandLoad(url: url, concurrency: concurrency)
    case .libcurl: LibcurlLoad(url: url, concurrency: concurrency)
    case .urlsession: try URLSessionLoad(url: url, concurrency: concurrency)
    }
  }

  /// A slow client gets fewer requests, so that a round takes about as long for each.
  func requests(of total: Int, concurrency: Int) -> Int {
    switch self {
    case .errand, .libcurl: total
    case .urlsession: max(total / 10, min(total, concurrency * 4))
    }
  }
}

import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Foundation's client, with a data task for each request.
final class URLSessionLoad: Load {
  private let session: URLSession
  private let url: URL
  private let concurrency: Int

  init(url: String, concurrency: Int) throws {
    guard let url = URL(string: url) else { throw LoadFailed(description: "\(url) is not a valid URL") }
    self.url = url
    self.concurrency = concurrency
    let configuration = URLSessionConfiguration.default
    configuration.httpMaximumConnectionsPerHost = concurrency
    configuration.urlCache = nil
    configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
    session = URLSession(configuration: configuration)
  }

  func run(_ requests: Int) async throws {
    try await withThrowingTaskGroup { group in
      for index in 0..<concurrency {
        let share = requests / concurrency + (index < requests % concurrency ? 1 : 0)
        group.addTask { [self] in
          for _ in 0..<share {
            let (data, response) = try await data(for: URLRequest(url: url))
            guard !data.isEmpty, (response as? HTTPURLResponse)?.statusCode == 200 else {
              throw LoadFailed(description: "URLSession: the response is not the expected one")
            }
          }
        }
      }
      try await group.waitForAll()
    }
  }

  private func data(for request: URLRequest) async throws -> (Data, URLResponse) {
    try await withCheckedThrowingContinuation { continuation in
      session.dataTask(with: request) { data, response, error in
        if let data, let response {
          continuation.resume(returning: (data, response))
        } else {
          continuation.resume(
            throwing: error
              ?? LoadFailed(description: "URLSession: the task has neither a response nor an error"))
        }
      }.resume()
    }
  }

  func end() async { session.invalidateAndCancel() }
}

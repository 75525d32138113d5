import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// URLSession with a `URLCache` that has the responses already. On Linux a session stores none by itself, so this stores
/// them. They come from a port at which no server listens, so that a request which misses the cache fails.
struct SessionCache {
  struct Missed: Error, CustomStringConvertible {
    let description = "URLSession did not take the response from its cache"
  }

  private let session: URLSession
  private let requests: [URLRequest]
  private let length: Int

  /// - Parameters:
  ///   - folder: The folder of the cache on disk; nil for one in memory.
  ///   - count: The number of responses.
  ///   - length: The length of each body, in bytes.
  init(in folder: URL?, count: Int, length: Int) {
    let capacity = 1 << 30
    let cache =
      folder.map { URLCache(memoryCapacity: 0, diskCapacity: capacity, diskPath: $0.path) }
      ?? URLCache(memoryCapacity: capacity, diskCapacity: 0, diskPath: nil)
    let body = Data(repeating: UInt8(ascii: "e"), count: length)
    self.length = length
    requests = (0..<count).compactMap { URL(string: "http://127.0.0.1:1/\($0)") }.map { URLRequest(url: $0) }
    for request in requests {
      guard let url = request.url,
        let head = HTTPURLResponse(
          url: url, statusCode: 200, httpVersion: "HTTP/1.1",
          headerFields: [
            "Content-Type": "text/plain", "Content-Length": "\(length)", "Cache-Control": "max-age=86400",
          ])
      else { continue }
      cache.storeCachedResponse(CachedURLResponse(response: head, data: body), for: request)
    }
    let configuration = URLSessionConfiguration.default
    configuration.urlCache = cache
    session = URLSession(configuration: configuration)
  }

  /// Returns the microseconds of one request, with `tasks` at once.
  func time(tasks: Int, each: Int) async throws -> Double {
    let start = ContinuousClock.now
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<tasks {
        group.addTask { [self] in
          for number in 0..<each {
            let (data, _) = try await session.data(for: requests[(task * each + number) % requests.count])
            guard data.count == length else { throw Missed() }
          }
        }
      }
      try await group.waitForAll()
    }
    return (ContinuousClock.now - start) / .microseconds(1) / Double(tasks * each)
  }
}

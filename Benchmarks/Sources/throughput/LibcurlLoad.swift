import CurlLoop
import Dispatch

/// A plain C loop on libcurl's multi interface, the fastest way to use libcurl.
// Safe to share: the loop is touched on `queue` only.
final class LibcurlLoad: Load, @unchecked Sendable {
  private let loop: OpaquePointer
  private let url: String
  private let queue = DispatchQueue(label: "libcurl")

  init(url: String, concurrency: Int) {
    guard let loop = curl_loop_create(Int32(concurrency)) else { preconditionFailure("no memory") }
    self.loop = loop
    self.url = url
  }

  func run(_ requests: Int) async throws {
    let result = await withCheckedContinuation { continuation in
      queue.async { continuation.resume(returning: curl_loop_run(self.loop, self.url, requests)) }
    }
    guard result.completed == requests, result.bytes > 0 else {
      throw LoadFailed(description: "libcurl: \(result.failed) of \(requests) requests failed")
    }
  }

  func end() async { queue.sync { curl_loop_destroy(self.loop) } }
}

import CurlLoop
import Dispatch

/// A plain C loop on libcurl's multi interface, the fastest way to use libcurl with few connections.
// This is safe to share, because only `queue` uses the loop.
final class LibcurlLoad: Load, @unchecked Sendable {
  private let loop: OpaquePointer
  private let url: String
  private let queue = DispatchQueue(label: "libcurl")

  /// - Parameter onSockets: True to use `curl_multi_socket_action`, as Errand does.
  init(_ work: Work, onSockets: Bool = false) throws {
    guard let loop = curl_loop_create(Int32(work.concurrency)) else {
      preconditionFailure("not enough memory")
    }
    if onSockets, curl_loop_use_sockets(loop) == 0 {
      curl_loop_destroy(loop)
      throw LoadFailed(description: "libcurl-sockets: this system lacks epoll")
    }
    // These are the header fields of Errand, so that both clients send the same bytes.
    curl_loop_add_field(loop, "User-Agent: Errand/0.2.0")
    curl_loop_add_field(loop, "Accept-Encoding: gzip, deflate, br, zstd")
    if let authorities = work.authorities { curl_loop_trust(loop, authorities) }
    if work.upload > 0 {
      curl_loop_add_field(loop, "Expect:")
      curl_loop_add_field(loop, "Content-Type: application/octet-stream")
      curl_loop_post(loop, [UInt8](repeating: UInt8(ascii: "e"), count: work.upload), work.upload)
    }
    self.loop = loop
    url = work.url
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

import CCurl

/// One of libcurl's easy handles, and the room for what comes with each transfer.
// Safe to share: it is held by the pool or by one transfer, never by both.
final class CurlHandle: @unchecked Sendable {
  let easy: UnsafeMutableRawPointer
  let errorText = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))

  /// What piles up of an answer, kept so that it need not be allocated for each.
  var head: [UInt8] = []
  var body: [UInt8] = []

  init(_ easy: UnsafeMutableRawPointer) {
    self.easy = easy
    errorText.initialize(to: 0)
    errand_setopt_pointer(easy, CURLOPT_ERRORBUFFER, errorText)
  }

  func clear() {
    errorText.pointee = 0
    head.removeAll(keepingCapacity: true)
    // One that was large once is not kept for ever.
    body.removeAll(keepingCapacity: body.capacity <= 128 << 10)
  }

  deinit {
    curl_easy_cleanup(easy)
    errorText.deallocate()
  }
}

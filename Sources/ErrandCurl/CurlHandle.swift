import CCurl

/// One of libcurl's easy handles, and the room for what it says of a failure.
// Safe to share: it is held by the pool or by one transfer, never by both.
final class CurlHandle: @unchecked Sendable {
  let easy: UnsafeMutableRawPointer
  let errorText = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))

  init(_ easy: UnsafeMutableRawPointer) {
    self.easy = easy
    errorText.initialize(to: 0)
    errand_setopt_pointer(easy, CURLOPT_ERRORBUFFER, errorText)
  }

  deinit {
    curl_easy_cleanup(easy)
    errorText.deallocate()
  }
}

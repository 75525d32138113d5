import CCurl

/// One of libcurl's easy handles, with the buffers for a transfer.
// Safe to share: it is held by the pool or by one transfer, never by both.
final class CurlHandle: @unchecked Sendable {
  let easy: UnsafeMutableRawPointer
  let errorText = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))

  /// True if the handle must not be used again: libcurl would take the cookies of a host that one request has
  /// named for those of every later request.
  var isSpent = false

  /// The bytes of a response that are not delivered yet; the buffers are reused by the next transfer.
  var head: [UInt8] = []
  var body: [UInt8] = []

  /// The parsed URL. libcurl would parse it on the engine's thread, for each transfer.
  private let url = curl_url()
  private var urlText = ""

  private let headGuard = UnsafeMutablePointer<errand_head_guard>.allocate(capacity: 1)

  /// True if the response's first field begins with a space, which libcurl must not parse.
  var hasOddHead: Bool { headGuard.pointee.is_refused }

  init(_ easy: UnsafeMutableRawPointer, guardsHeads: Bool) {
    self.easy = easy
    headGuard.initialize(to: errand_head_guard())
    if guardsHeads { errand_setopt_head_guard(easy, headGuard) }
    errorText.initialize(to: 0)
    errand_setopt_pointer(easy, CURLOPT_ERRORBUFFER, errorText)
  }

  private var generation = 0

  /// Sets the generation of connections that the request may join. libcurl lets a request join a TLS
  /// connection only if the TLS options are the same. These two options have an effect on Windows only, so
  /// here they only keep generations apart.
  func setGeneration(_ generation: Int) {
    guard generation != self.generation else { return }
    self.generation = generation
    let bits = [0, CURLSSLOPT_NO_REVOKE, CURLSSLOPT_REVOKE_BEST_EFFORT]
    let (first, second) = (generation & 1 == 0 ? bits[0] : bits[1], generation & 2 == 0 ? bits[0] : bits[2])
    errand_setopt_long(easy, CURLOPT_SSL_OPTIONS, Int(first | second))
  }

  func setURL(_ text: String) {
    guard text != urlText else { return }
    let code = text.withCString { curl_url_set(url, CURLUPART_URL, $0, UInt32(CURLU_PATH_AS_IS)) }
    if code == CURLUE_OK {
      urlText = text
      errand_setopt_pointer(easy, CURLOPT_CURLU, UnsafeMutableRawPointer(url))
    } else {
      // libcurl gets the text, so that it reports what is wrong with the URL.
      urlText = ""
      errand_setopt_pointer(easy, CURLOPT_CURLU, nil)
      text.withCString { _ = errand_setopt_string(easy, CURLOPT_URL, $0) }
    }
  }

  func clear() {
    errorText.pointee = 0
    headGuard.pointee = errand_head_guard()
    head.removeAll(keepingCapacity: true)
    // A buffer that was large once is not kept for ever.
    body.removeAll(keepingCapacity: body.capacity <= 128 << 10)
  }

  deinit {
    curl_easy_cleanup(easy)
    curl_url_cleanup(url)
    errorText.deallocate()
    headGuard.deallocate()
  }
}

import CCurl
import ErrandCore

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// An easy handle of libcurl, with the buffers for a transfer.
// Safe to share: either the pool or one transfer holds it, never both. Exclusivity is not checked for the reason
// that `CurlTransfer` gives.
final class CurlHandle: @unchecked Sendable {
  let easy: UnsafeMutableRawPointer
  let errorText = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))

  /// The transfer that uses the handle. It removes itself before it is deallocated.
  @exclusivity(unchecked) private(set) var transfer: Unmanaged<CurlTransfer>?

  /// True if the handle must not be reused: it has sent trailers, or libcurl would send the cookies of a host that one
  /// request has named with every later request.
  var isSpent = false

  /// The request whose options are set; nil if a transfer has changed some of them.
  var shape: CurlOptions.Shape?
  private var reportsProgress = false
  private var fields: CurlFields?
  private let omittedFields: [String]
  private let onSentHead: (@Sendable (String) -> Void)?

  /// The bytes of a response that are not delivered yet. The next transfer reuses the buffers.
  @exclusivity(unchecked) var head: [UInt8] = []
  @exclusivity(unchecked) var memo = HeadMemo()
  @exclusivity(unchecked) var body: [UInt8] = []
  /// The memory of larger bodies.
  let memory: BodyMemory

  /// The URL, parsed on the caller's thread. libcurl would parse it on the engine's thread for each transfer.
  private let url = curl_url()
  private var urlText = ""
  /// The host that libcurl connects to, or nil.
  var host: String? {
    guard !urlText.isEmpty, let name = errand_url_host(url) else { return nil }
    defer { curl_free(name) }
    return String(cString: name)
  }

  private let notes = UnsafeMutablePointer<errand_notes>.allocate(capacity: 1)
  private var takesNotes = false
  /// True while libcurl's debug output is on for the first field of a head.
  @exclusivity(unchecked) private var isGuarding = false

  /// True if the response's first field begins with a space, which libcurl must not parse.
  var hasOddHead: Bool { notes.pointee.is_head_refused }
  /// True if the server reported that it did not process the request (RFC 9113, section 8.7).
  var isStreamRefused: Bool { notes.pointee.is_stream_refused }
  /// Returns true, once, if the server requires HTTP/1.1. libcurl then sends the request again.
  func takeDowngrade() -> Bool {
    defer { notes.pointee.is_downgraded = false }
    return notes.pointee.is_downgraded
  }

  /// libcurl reads the list in each transfer, and does not copy it.
  private let addresses: UnsafeMutablePointer<curl_slist>?
  /// Learns which sockets the handle opens and closes; nil before its first transfer.
  @exclusivity(unchecked) private var watch: SocketWatch?
  private let addressPolicy: AddressPolicy?
  /// The numbers of addresses of the present transfer's host that the policy has refused and accepted.
  @exclusivity(unchecked) private var refusedAddresses = 0
  @exclusivity(unchecked) private var acceptedAddresses = 0
  /// True if the host has only addresses that the policy refuses.
  var isAddressRefused: Bool { refusedAddresses > 0 && acceptedAddresses == 0 }
  /// Kept alive here, because libcurl does not copy its key.
  private let identity: TLSIdentity?

  init(_ options: CurlOptions, _ memory: BodyMemory) {
    self.memory = memory
    easy = options.makeEasy()
    identity = options.identity
    addresses = options.addresses.reduce(nil) { curl_slist_append($0, $1) }
    if let addresses { errand_setopt_pointer(easy, CURLOPT_RESOLVE, addresses) }
    notes.initialize(to: errand_notes())
    notes.pointee.guards_head = options.isBeforeVersion8
    omittedFields = options.omittedFields
    addressPolicy = options.addressPolicy
    onSentHead = options.onSentHead
    errand_setopt_notes(easy, notes)
    errorText.initialize(to: 0)
    errand_setopt_pointer(easy, CURLOPT_ERRORBUFFER, errorText)
    let this = Unmanaged.passUnretained(self).toOpaque()
    for option in [
      CURLOPT_PRIVATE, CURLOPT_WRITEDATA, CURLOPT_HEADERDATA, CURLOPT_READDATA, CURLOPT_XFERINFODATA,
      CURLOPT_PREREQDATA, CURLOPT_SEEKDATA, CURLOPT_TRAILERDATA,
    ] {
      errand_setopt_pointer(easy, option, this)
    }
    guard onSentHead != nil else { return }
    notes.pointee.owner = this
    notes.pointee.sent_head = { text, size, owner in
      guard let owner, let text else { return }
      let head = UnsafeRawBufferPointer(start: text, count: size)
      CurlHandle.from(owner).takeUnretainedValue().onSentHead?(String(decoding: head, as: UTF8.self))
    }
  }

  /// Returns the handle that libcurl passes to its callbacks.
  static func from(_ user: UnsafeMutableRawPointer) -> Unmanaged<CurlHandle> { Unmanaged.fromOpaque(user) }

  /// Assigns the handle to a transfer, or to none.
  func use(by transfer: CurlTransfer?) { self.transfer = transfer.map { Unmanaged.passUnretained($0) } }

  func reportProgress(_ reports: Bool) {
    guard reports != reportsProgress else { return }
    reportsProgress = reports
    errand_setopt_long(easy, CURLOPT_NOPROGRESS, reports ? 0 : 1)
  }

  /// Sets the header fields, unless they equal those of the last request.
  func setFields(_ request: Exchange.Request) {
    if fields?.are(of: request) == true { return }
    let fields = CurlFields(request, without: omittedFields)
    errand_setopt_pointer(easy, CURLOPT_HTTPHEADER, fields.list)
    self.fields = fields
  }

  /// Removes secret header fields, which the next transfer must not send.
  func clean() {
    guard fields?.areSecret == true else { return }
    errand_setopt_pointer(easy, CURLOPT_HTTPHEADER, nil)
    fields = nil
  }

  /// Makes the transfer send the trailers of its body. libcurl 7.88 does not reset its state after trailers, and
  /// writes before its buffer when the next transfer of the handle sends a chunk.
  func sendTrailers() {
    isSpent = true
    CurlTransfer.sendTrailers(easy)
  }

  /// Makes the transfer use a new connection.
  func avoidConnections() {
    shape = nil
    errand_setopt_long(easy, CURLOPT_FRESH_CONNECT, 1)
  }

  /// Makes libcurl close the connection when the transfer ends.
  func forbidReuse() {
    shape = nil
    errand_setopt_long(easy, CURLOPT_FORBID_REUSE, 1)
  }

  /// Makes the handle report the sockets that it opens and closes, on the engine's thread.
  func reportSockets(to watch: SocketWatch) {
    guard self.watch == nil else { return }
    self.watch = watch
    errand_setopt_opensocket_callback(
      easy, { user, _, address in CurlHandle.from(user!).takeUnretainedValue().openSocket(to: address) },
      Unmanaged.passUnretained(self).toOpaque())
    // libcurl may close a connection after the handle that made it is freed.
    errand_setopt_close_callback(
      easy,
      { user, socket in
        Unmanaged<SocketWatch>.fromOpaque(user!).takeUnretainedValue().forget(socket)
        return close(socket)
      }, Unmanaged.passUnretained(watch).toOpaque())
  }

  /// Makes a socket for a connection to this address, which libcurl has looked up.
  /// - Returns: The socket; -1 if the policy refuses the address, or the system has no socket left.
  private func openSocket(to address: UnsafeMutablePointer<curl_sockaddr>?) -> curl_socket_t {
    guard let address, let watch else { return -1 }
    if let addressPolicy {
      var bytes = [UInt8](repeating: 0, count: 16)
      let count = errand_address(address, &bytes)
      guard addressPolicy.allows(Array(bytes.prefix(count))) else {
        refusedAddresses += 1
        return -1
      }
      acceptedAddresses += 1
    }
    // The socket is close-on-exec, so that a child process does not keep the connection open.
    let socket = errand_open_socket(address)
    if socket >= 0 { watch.isMade(socket) } else { watch.shortage = SystemShortage(errno) }
    return socket
  }

  @exclusivity(unchecked) private(set) var generation = 0

  /// Sets the generation of TLS connections that the request may join. libcurl lets a request join a
  /// connection only if their TLS options are equal. These options have no effect here: three are for
  /// Windows, and one is for TLS 1.0.
  func setGeneration(_ generation: Int) {
    guard generation != self.generation else { return }
    self.generation = generation
    let options = [
      CURLSSLOPT_NO_REVOKE, CURLSSLOPT_REVOKE_BEST_EFFORT, CURLSSLOPT_AUTO_CLIENT_CERT,
      CURLSSLOPT_ALLOW_BEAST,
    ]
    var bits = 0
    for (index, option) in options.enumerated() where generation >> index & 1 == 1 { bits |= Int(option) }
    errand_setopt_long(easy, CURLOPT_SSL_OPTIONS, bits)
  }

  func setURL(_ text: String) {
    guard text != urlText else { return }
    let code = text.withCString { curl_url_set(url, CURLUPART_URL, $0, UInt32(CURLU_PATH_AS_IS)) }
    if code == CURLUE_OK {
      urlText = text
      errand_setopt_pointer(easy, CURLOPT_CURLU, UnsafeMutableRawPointer(url))
    } else {
      // libcurl gets the text, so that it reports the fault in the URL.
      urlText = ""
      errand_setopt_pointer(easy, CURLOPT_CURLU, nil)
      text.withCString { _ = errand_setopt_string(easy, CURLOPT_URL, $0) }
    }
  }

  /// Sets whether the transfer needs libcurl's debug output from its start to its end.
  func takeNotes(_ takes: Bool) {
    takesNotes = takes
    isGuarding = false
    errand_setopt_long(easy, CURLOPT_VERBOSE, takes ? 1 : 0)
  }

  /// Makes libcurl show the first field of a head before it reads it: see `errand_guard_head`.
  /// - Parameter line: The number of the line that was received last; 0 before the head.
  func guardHead(after line: Int) {
    guard notes.pointee.guards_head else { return }
    // The notes on an earlier head, like that of a proxy's response to CONNECT, do not hold for this one.
    if line <= 1 { (notes.pointee.has_field, notes.pointee.is_head_refused) = (false, false) }
    guard !takesNotes, isGuarding != (line == 1) else { return }
    isGuarding = line == 1
    errand_setopt_long(easy, CURLOPT_VERBOSE, isGuarding ? 1 : 0)
  }

  func clear() {
    errorText.pointee = 0
    guardHead(after: 0)
    (refusedAddresses, acceptedAddresses) = (0, 0)
    (notes.pointee.is_stream_refused, notes.pointee.is_downgraded) = (false, false)
    head.removeAll(keepingCapacity: true)
    // Buffers that have become large are freed.
    body.removeAll(keepingCapacity: body.capacity <= 128 << 10)
  }

  deinit {
    curl_easy_cleanup(easy)
    curl_slist_free_all(addresses)
    curl_url_cleanup(url)
    errorText.deallocate()
    notes.deallocate()
  }
}

/// The cookies that all transfers of an engine share. Only the engine's thread may use them. So a handle has
/// them only while its transfer runs; a pooled handle may be freed on any thread.
final class CookieShare {
  private let share = curl_share_init()

  init() { errand_share_setopt_long(share, CURLSHOPT_SHARE, Int(CURL_LOCK_DATA_COOKIE.rawValue)) }

  deinit { curl_share_cleanup(share) }

  func add(to easy: UnsafeMutableRawPointer) { errand_setopt_pointer(easy, CURLOPT_SHARE, share) }

  func remove(from easy: UnsafeMutableRawPointer) { errand_setopt_pointer(easy, CURLOPT_SHARE, nil) }
}

/// Keeps handles for reuse, because making one costs more than using it.
final class CurlHandlePool: Sendable {
  private static let capacity = 512

  let memory = BodyMemory()
  private let options: CurlOptions
  private let handles = Locked<[CurlHandle]>([])

  init(_ options: CurlOptions) { self.options = options }

  func take() -> CurlHandle {
    handles.withLock { $0.popLast() }
      ?? CurlHandle(options, memory)
  }

  func put(_ handle: CurlHandle) {
    guard !handle.isSpent else { return }
    handles.withLock { handles in
      if handles.count < Self.capacity { handles.append(handle) }
    }
  }

  func drain() {
    // Assigned, so that the handles are freed after the lock is released.
    let drained = handles.withLock { handles in
      defer { handles = [] }
      return handles
    }
    _ = drained
    memory.release()
  }
}

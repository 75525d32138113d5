import CCurl
import ErrandCore

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// One try on its way through libcurl.
// Safe to share: `waiting` and `socket` are locked; everything else is touched by its maker, and once it is started on the engine's
// thread only.
final class CurlTransfer: @unchecked Sendable {
  let exchange: Exchange
  /// The one who waits for the outcome, and later for room in the sink.
  let waiting = Locked(Waiting())
  private let handle: CurlHandle
  var easy: UnsafeMutableRawPointer { handle.easy }
  /// Its place among the engine's active transfers, or -1.
  @exclusivity(unchecked) var index = -1
  @exclusivity(unchecked) var stallPlace: StallPlace?
  /// The connection that it may share with others, and its place among them.
  @exclusivity(unchecked) var connection: SharedConnection?
  @exclusivity(unchecked) var streamIndex = 0
  /// Which generation of connections it may join.
  private(set) var generation = 0
  private(set) var started = ContinuousClock.now
  @exclusivity(unchecked) var lastMove = ContinuousClock.now
  @exclusivity(unchecked) var firstByte: Duration?

  let engine: CurlEngine
  /// The connection, while it is this transfer's alone.
  let socket = Locked<Int32?>(nil)
  private var fields: UnsafeMutablePointer<curl_slist>?

  @exclusivity(unchecked) var answer: CurlAnswer
  @exclusivity(unchecked) var isTouched = false
  @exclusivity(unchecked) var isPaused = false
  @exclusivity(unchecked) var hasGoneOut = false
  /// It was given a connection that had ended, once.
  @exclusivity(unchecked) var hasMetEnd = false

  @exclusivity(unchecked) var upload: CurlUpload
  var reportedSent: Int64 = 0
  private var seenMoves: (Int64, Int64) = (0, 0)

  init(_ exchange: Exchange, engine: CurlEngine) {
    self.exchange = exchange
    self.engine = engine
    handle = engine.handles.take()
    upload = CurlUpload(exchange.request.upload)
    answer = CurlAnswer(exchange, handle, maxFieldBytes: engine.options.maxFieldBytes)
  }

  deinit {
    // On whichever thread lets go last: nobody else uses the handle then.
    engine.handles.put(handle)
    curl_slist_free_all(fields)
  }

  // MARK: On the engine's thread

  /// Nil for a handle of libcurl's own.
  static func of(_ easy: UnsafeMutableRawPointer?) -> CurlTransfer? {
    guard let easy, let pointer = errand_getinfo_pointer(easy, CURLINFO_PRIVATE) else { return nil }
    return Unmanaged<CurlTransfer>.fromOpaque(pointer).takeUnretainedValue()
  }

  /// Sets the handle up: on the caller's thread, because it need not be done on the engine's.
  func prepare() {
    let this = Unmanaged.passUnretained(self).toOpaque()
    for option in [
      CURLOPT_PRIVATE, CURLOPT_WRITEDATA, CURLOPT_HEADERDATA, CURLOPT_READDATA, CURLOPT_XFERINFODATA,
      CURLOPT_PREREQDATA,
    ] {
      errand_setopt_pointer(easy, option, this)
    }
    handle.clear()
    handle.setURL(exchange.request.url.absoluteString)
    engine.options.apply(exchange.request, to: easy)
    errand_setopt_long(easy, CURLOPT_NOPROGRESS, exchange.wantsUploadProgress ? 0 : 1)
    setFields()
    if case .reader(let reader) = exchange.request.upload {
      reader.onReady { self.wake() }
    }
  }

  private func setFields() {
    let request = exchange.request
    handle.isSpent = engine.options.keepsCookies && request.fields.contains("Host")
    func add(_ line: String) { fields = line.withCString { curl_slist_append(fields, $0) } }
    for field in request.fields {
      add(field.value.isEmpty ? "\(field.name);" : "\(field.name): \(field.value)")
    }
    if !request.fields.contains("Accept-Encoding") {
      // A part of a coded body cannot be decoded.
      add("Accept-Encoding: \(request.fields.contains("Range") ? "identity" : ContentCoding.offered)")
    }
    if case .none = request.upload, request.method == .get || request.method == .head {
      // Nothing that libcurl would add by itself.
    } else {
      if !request.fields.contains("Expect") { add("Expect:") }
      if !request.fields.contains("Content-Type") { add("Content-Type:") }
    }
    errand_setopt_pointer(easy, CURLOPT_HTTPHEADER, fields)
  }

  func begin(generation: Int) {
    started = engine.now
    lastMove = started
    self.generation = generation
    handle.setGeneration(generation)
    engine.options.applyShared(to: easy)
  }

  /// What no generation keeps apart, a connection of its own does.
  func avoidConnections(_ isAvoided: Bool) {
    if isAvoided { errand_setopt_long(easy, CURLOPT_FRESH_CONNECT, 1) }
  }

  /// Hands on what this turn brought. False if it is not wanted.
  func deliver() -> Bool {
    isTouched = false
    guard answer.deliver(of: self) else { return false }
    if answer.wantsTurn(isPaused: isPaused) { wake() }
    return true
  }

  var failureOfSink: any Error {
    answer.failure ?? exchange.error(.connectionLost, "the answer was not taken", reachedServer: true)
  }

  /// It has failed: libcurl does not call back any more, and nobody asks for what came.
  func close() { answer.close() }

  /// The sink has room again, or the body has more.
  func resume() {
    lastMove = engine.now
    answer.sinkHasDrained()
    // What came before is decoded before more comes, at the end of this turn.
    if answer.isBehind { touch() }
    guard isPaused && !answer.isBehind || upload.isWaiting else { return }
    isPaused = false
    upload.hasMore()
    // May call back into `receive` before it returns.
    curl_easy_pause(easy, CURLPAUSE_CONT)
  }

  /// Makes libcurl send what its HTTP/2 connection has to send: a change of the stream's window does.
  func nudge() {
    if !isPaused { curl_easy_pause(easy, CURLPAUSE_RECV) }
    curl_easy_pause(easy, CURLPAUSE_CONT)
  }

  func result(_ code: CURLcode) -> Result<Void, any Error> {
    guard code == CURLE_OK || answer.endsAtHead, answer.failure == nil else {
      let lost = CurlFailure(code, self).error
      // A download goes on with what came before the connection was lost.
      if answer.failure == nil { _ = deliver() }
      return .failure(answer.failure ?? lost)
    }
    guard answer.isHeadWhole else {
      let lost = "the connection ended within the head of the response"
      return .failure(exchange.error(.connectionLost, lost, reachedServer: true))
    }
    if exchange.wantsUploadProgress, let length = exchange.request.upload.length {
      exchange.didSend(total: length)
    }
    return .success(())
  }

  var errorMessage: String { String(cString: handle.errorText) }

  /// What a proxy answered in place of opening a tunnel, or nil.
  var refusalOfTunnel: Status? {
    let status = errand_getinfo_long(easy, CURLINFO_HTTP_CONNECTCODE)
    return status == 0 || 200..<300 ~= status ? nil : Status(Int(status))
  }

  /// True until the head of the answer is whole.
  var awaitsHead: Bool { !answer.isHeadWhole }

  /// True while bytes of its body may lie in libcurl's buffer.
  var isSending: Bool { seenMoves.0 < exchange.request.upload.length ?? .max && awaitsHead }

  /// When something moved last, as far as can be told at `now`.
  func moved(by now: ContinuousClock.Instant) -> ContinuousClock.Instant {
    // A sink that is full, and a body that has no more yet, are the user's wait, not the network's.
    if isPaused || answer.isSinkFull || answer.isBehind || upload.isWaiting { lastMove = now }
    let moves = (
      Int64(errand_getinfo_offset(easy, CURLINFO_SIZE_UPLOAD_T)),
      Int64(errand_getinfo_offset(easy, CURLINFO_PRETRANSFER_TIME_T))
    )
    if moves != seenMoves {
      // `send` has set the instant of what it handed over; what lies in libcurl's buffer may still be moving.
      if moves.0 != seenMoves.0, moves.0 < exchange.request.upload.length ?? .max {
        lastMove = now
      } else {
        lastMove = max(lastMove, started + .microseconds(moves.1))
      }
      seenMoves = moves
    }
    return lastMove
  }

  func timedOut() -> Result<Void, any Error> {
    let wait = exchange.request.timeout.formattedSeconds
    let reached = hasReachedServer
    return .failure(
      exchange.error(
        .timedOut, reached ? "nothing came for \(wait)" : "no connection after \(wait)",
        reachedServer: reached))
  }

  /// True unless certainly nothing of the request has gone out.
  var hasReachedServer: Bool { hasGoneOut }

  /// True if it ended because its connection had: nothing of it has gone out.
  func needsConnection(_ code: CURLcode) -> Bool {
    code == CURLE_ABORTED_BY_CALLBACK && hasMetEnd && !hasGoneOut
  }
}

extension CurlTransfer: StallWatched {}

extension Exchange.Request {
  /// True if its connection may be one of HTTP/2, which others use at the same time.
  var mayShareConnection: Bool { httpVersion == .http2 || (httpVersion == .automatic && isSecure) }
}

extension CurlTransfer: SocketHolder {
  func hold(_ socket: Int32?) -> Bool {
    let request = exchange.request
    guard request.httpVersion == .http1 || (!request.isSecure && request.httpVersion == .automatic) else {
      return false
    }
    self.socket.withLock { $0 = socket }
    return socket != nil
  }
}

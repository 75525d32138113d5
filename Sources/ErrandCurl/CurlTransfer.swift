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

/// One attempt, as a transfer of libcurl's.
// Safe to share: `waiting` is locked; one thread at a time has the rest: maker, engine, waiter.
final class CurlTransfer: @unchecked Sendable {
  let exchange: Exchange
  let events: ExchangeEvents?
  /// True if the connection may be HTTP/2, which other transfers use at the same time.
  let mayShareConnection: Bool
  /// The task that waits for the outcome, and later for the sink to drain.
  let waiting = Locked(Waiting())
  let handle: CurlHandle
  var easy: UnsafeMutableRawPointer { handle.easy }
  /// The index among the engine's active transfers, or -1.
  @exclusivity(unchecked) var index = -1
  @exclusivity(unchecked) var stallPlace: StallPlace?
  /// The connection that may be shared with other transfers; `streamIndex` is the index among them.
  @exclusivity(unchecked) var connection: SharedConnection?
  @exclusivity(unchecked) var streamIndex = 0
  /// The generation of connections that the transfer may join.
  @exclusivity(unchecked) private(set) var generation = 0
  @exclusivity(unchecked) private(set) var started = ContinuousClock.now
  @exclusivity(unchecked) var lastMove = ContinuousClock.now
  @exclusivity(unchecked) var firstByte: Duration?

  let engine: CurlEngine
  /// The connection's socket, while no other transfer can use it.
  @exclusivity(unchecked) var socket: Int32?
  /// The socket that the transfer used last, if libcurl has told it.
  @exclusivity(unchecked) var lastSocket: Int32?
  /// The ends of the connection that it used last.
  @exclusivity(unchecked) var ends: SharedConnection.Ends?
  @exclusivity(unchecked) var response: CurlResponse
  @exclusivity(unchecked) var isTouched = false
  @exclusivity(unchecked) var isPaused = false
  /// True if what comes is thrown away.
  @exclusivity(unchecked) private(set) var isDiscarded = false
  @exclusivity(unchecked) var hasGoneOut = false
  /// True after the transfer got a connection that had ended.
  @exclusivity(unchecked) var hasMetEnd = false

  @exclusivity(unchecked) var upload: CurlUpload
  var reportedSent: Int64 = 0
  private var seenMoves: (Int64, Int64) = (0, 0)

  init(_ exchange: Exchange, engine: CurlEngine) {
    self.exchange = exchange
    events = exchange.events
    self.engine = engine
    mayShareConnection = exchange.request.mayShareConnection
    handle = engine.handles.take()
    upload = CurlUpload(exchange.request.upload)
    response = CurlResponse(
      exchange, handle, maxFieldBytes: engine.options.maxFieldBytes,
      proxyMayRefuse: engine.options.hasProxies && engine.options.mayBeRefusedByProxy(exchange.request))
  }

  deinit {
    // On the thread that releases last: nothing else uses the handle then.
    handle.use(by: nil)
    handle.clean()
    engine.handles.put(handle)
  }

  // MARK: On the engine's thread

  /// Returns the transfer of a handle; nil for a handle of libcurl's own.
  static func of(_ easy: UnsafeMutableRawPointer?) -> CurlTransfer? {
    guard let easy, let pointer = errand_getinfo_pointer(easy, CURLINFO_PRIVATE) else { return nil }
    return from(pointer)
  }

  /// Returns the transfer of the handle that a callback is given; nil after its end, when none is called.
  static func from(_ user: UnsafeMutableRawPointer) -> CurlTransfer? {
    CurlHandle.from(user)._withUnsafeGuaranteedRef { $0.transfer }?.takeUnretainedValue()
  }

  /// Calls `body` with the transfer of the handle that a callback is given. The engine holds it meanwhile, so that it is
  /// not retained for each line of a head.
  @inline(__always)
  static func with<Result>(_ user: UnsafeMutableRawPointer, _ body: (CurlTransfer) -> Result) -> Result? {
    CurlHandle.from(user)._withUnsafeGuaranteedRef { $0.transfer }?._withUnsafeGuaranteedRef(body)
  }

  /// Sets the handle up, on the caller's thread to keep the engine's free.
  func prepare() {
    let request = exchange.request
    handle.use(by: self)
    handle.clear()
    handle.isSpent = engine.options.keepsCookies && request.fields.contains("Host")
    handle.setURL(request.url.absoluteString)
    engine.options.apply(request, to: handle)
    handle.reportProgress(exchange.wantsUploadProgress)
    handle.setFields(request)
    if case .reader(let reader) = request.upload {
      reader.onReady { self.wake() }
    }
  }

  func begin(generation: Int) {
    started = engine.now
    lastMove = started
    self.generation = generation
    handle.setGeneration(generation)
    handle.reportSockets(to: engine.watch)
    engine.cookies?.add(to: easy)
  }

  /// Gives the transfer a connection of its own, where generations cannot keep connections apart.
  func avoidConnections(_ isAvoided: Bool) {
    if isAvoided { handle.avoidConnections() }
  }

  /// Delivers the data of this turn. Returns false if the response is refused.
  func deliver() -> Bool {
    isTouched = false
    guard response.deliverTurn(of: self) else { return false }
    if response.wantsTurn(isPaused: isPaused) { wake() }
    return true
  }

  var failureOfSink: any Error {
    response.failure ?? exchange.error(.connectionLost, "the response was not taken", reachedServer: true)
  }

  /// Releases the sink after a failure: libcurl calls back no more, and the waiter does not ask for the data.
  func close() { response.close() }

  /// Goes on after the sink has drained, or the body to send has more.
  func resume() {
    lastMove = engine.now
    response.sinkHasDrained()
    // Earlier data is decoded at the end of this turn, before more is received.
    if response.isBehind { touch() }
    guard isPaused && !response.isBehind || upload.isWaiting else { return }
    isPaused = false
    upload.hasMore()
    // May call back into `receive` before it returns.
    curl_easy_pause(easy, CURLPAUSE_CONT)
  }

  /// Ends a pause before the transfer is taken from libcurl. Before version 8 that passes what follows in an HTTP/2
  /// connection on to other streams, as if it were theirs, when a paused stream is gone.
  func discard() {
    guard isPaused, mayShareConnection else { return }
    isDiscarded = true
    curl_easy_pause(easy, CURLPAUSE_CONT)
  }

  /// Makes libcurl send the pending data of its HTTP/2 connection, by changing the stream's window.
  func nudge() {
    if !isPaused { curl_easy_pause(easy, CURLPAUSE_RECV) }
    curl_easy_pause(easy, CURLPAUSE_CONT)
  }

  func result(_ code: CURLcode) -> Result<Void, any Error> {
    if !hasGoneOut { tellSteps(isOut: false) }
    if response.isEndedByProxy || (code == CURLE_OK && response.isRefusedByProxy) {
      return .failure(refusedByProxy)
    }
    guard code == CURLE_OK || response.endsAtHead, response.failure == nil else {
      let lost = CurlFailure(code, self).error
      // A resumed download goes on after the bytes that were received before the connection was lost.
      if response.failure == nil { _ = response.deliver(of: self) }
      return .failure(response.failure ?? lost)
    }
    guard response.isHeadWhole else {
      let lost = "the connection ended within the head of the response"
      return .failure(exchange.error(.connectionLost, lost, reachedServer: true))
    }
    if exchange.wantsUploadProgress, let length = exchange.request.upload.length {
      exchange.didSend(total: length)
    }
    return .success(())
  }

  var errorMessage: String { String(cString: handle.errorText) }

  /// The status with which a proxy refused a tunnel, or nil.
  var refusalOfTunnel: Status? {
    let status = errand_getinfo_long(easy, CURLINFO_HTTP_CONNECTCODE)
    return status == 0 || 200..<300 ~= status ? nil : Status(Int(status))
  }

  var isRefusedByProxy: Bool { response.isRefusedByProxy }
  /// The host as libcurl connects to it, or nil.
  var host: String? { handle.host }

  /// True until the head of the response is whole.
  var awaitsHead: Bool { !response.isHeadWhole }

  /// True while bytes of the request's body may be in libcurl's buffer.
  var isSending: Bool { seenMoves.0 < exchange.request.upload.length ?? .max && awaitsHead }

  /// Returns when data moved last, as far as can be told at `now`.
  func moved(by now: ContinuousClock.Instant) -> ContinuousClock.Instant {
    // A full sink, and a body that has no more yet, are the application's delay and not the network's.
    if isPaused || response.isSinkFull || response.isBehind || upload.isWaiting { lastMove = now }
    let moves = (
      Int64(errand_getinfo_offset(easy, CURLINFO_SIZE_UPLOAD_T)),
      Int64(errand_getinfo_offset(easy, CURLINFO_PRETRANSFER_TIME_T))
    )
    if moves != seenMoves {
      // `send` has noted when it filled libcurl's buffer; its bytes may still be moving.
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

  /// False only if certainly nothing of the request has been sent.
  var hasReachedServer: Bool { hasGoneOut }

  /// Returns true if the transfer failed because its connection had ended and nothing was sent.
  func needsConnection(_ code: CURLcode) -> Bool {
    code == CURLE_ABORTED_BY_CALLBACK && hasMetEnd && !hasGoneOut
  }
}

extension CurlTransfer: StallWatched {}

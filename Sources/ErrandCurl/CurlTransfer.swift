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

/// One attempt, as a transfer of libcurl.
// Safe to share: `waiting` is locked. The rest belongs to one thread at a time: the maker's, the engine's,
// the waiter's. Exclusivity is not checked, which would cost time for each line of a head: an access lasts while
// a body's reader or a response's sink runs at most, and these do not know the transfer.
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
  @exclusivity(unchecked) private(set) var started = Moment.now
  @exclusivity(unchecked) var lastMove = Moment.now
  @exclusivity(unchecked) var firstByte: Duration?

  let engine: CurlEngine
  /// The connection's socket while no other transfer can use it.
  @exclusivity(unchecked) var socket: Int32?
  /// The socket that the transfer used last, if libcurl has reported it.
  @exclusivity(unchecked) var lastSocket: Int32?
  /// The ends of the connection that the transfer used last.
  @exclusivity(unchecked) var ends: SharedConnection.Ends?
  @exclusivity(unchecked) var response: CurlResponse
  @exclusivity(unchecked) var isTouched = false
  @exclusivity(unchecked) var isPaused = false
  @exclusivity(unchecked) var hasGoneOut = false
  /// The fate of the request, after its connection ended without a response.
  @exclusivity(unchecked) var fate: Fate?
  /// OpenSSL's connection, if the response lasts until its end; nil if that end cannot be observed.
  @exclusivity(unchecked) var tls: UnsafeRawPointer?
  /// True when the server has ended its side of the TLS connection.
  @exclusivity(unchecked) var hasTLSEnded = false
  /// The way in which the request's HTTP/1 connection ended, if it ended without a response.
  @exclusivity(unchecked) var ending = ConnectionEnding.unknown
  /// The bytes of the request that were sent before the connection ended.
  @exclusivity(unchecked) var sentBeforeEnding: (head: UInt64, body: UInt64) = (0, 0)
  /// True after the transfer got a connection that had ended.
  @exclusivity(unchecked) var hasMetEnd = false

  @exclusivity(unchecked) var upload: CurlUpload
  /// True while sending waits until received bytes are read.
  @exclusivity(unchecked) var hasYielded = false
  var reportedSent: Int64 = 0
  private var seenMoves: (Int64, Int64) = (0, 0)
  /// The bytes that were not sent by the system, or not acknowledged by the server, at the last check.
  private var seenUnsent = 0

  init(_ exchange: Exchange, engine: CurlEngine) {
    self.exchange = exchange
    events = exchange.events
    self.engine = engine
    mayShareConnection = CurlOptions.mayUseHTTP2(exchange.request)
    handle = engine.handles.take()
    upload = CurlUpload(exchange.request.upload)
    response = CurlResponse(
      exchange, handle, maxFieldBytes: engine.options.maxFieldBytes,
      proxyMayRefuse: engine.options.hasProxies && engine.options.mayBeRefusedByProxy(exchange.request))
  }

  deinit {
    // This runs on the thread that releases the transfer last, so nothing else uses the handle.
    handle.use(by: nil)
    handle.clean()
    engine.handles.put(handle)
  }

  // MARK: On the engine's thread

  /// Returns the transfer of a handle; nil for a handle that belongs to libcurl.
  static func of(_ easy: UnsafeMutableRawPointer?) -> CurlTransfer? {
    guard let easy, let pointer = errand_getinfo_pointer(easy, CURLINFO_PRIVATE) else { return nil }
    return from(pointer)
  }

  /// Returns the transfer of the handle that a callback receives. It is nil after the transfer's end, when no
  /// callback runs.
  static func from(_ user: UnsafeMutableRawPointer) -> CurlTransfer? {
    CurlHandle.from(user)._withUnsafeGuaranteedRef { $0.transfer }?.takeUnretainedValue()
  }

  /// Calls `body` with the transfer of the handle that a callback receives. The engine keeps the transfer
  /// alive meanwhile, so it is not retained for each line of a head.
  @inline(__always)
  static func with<Result>(_ user: UnsafeMutableRawPointer, _ body: (CurlTransfer) -> Result) -> Result? {
    CurlHandle.from(user)._withUnsafeGuaranteedRef { $0.transfer }?._withUnsafeGuaranteedRef(body)
  }

  /// Sets the options of the handle. This runs on the caller's thread, to keep the engine's thread free.
  func prepare() {
    handle.use(by: self)
    handle.clear()
    handle.isSpent = engine.options.keepsCookies && exchange.request.fields.contains("Host")
    handle.setURL(exchange.request.url.absoluteString)
    engine.options.apply(exchange.request, to: handle)
    handle.reportProgress(exchange.wantsUploadProgress)
    handle.setFields(exchange.request)
    if case .reader(let reader) = exchange.request.upload {
      reader.onReady { self.wake() }
    }
  }

  func begin(joining: SharedConnections.Joining) {
    started = engine.now
    lastMove = started
    switch joining {
    case .generation(let generation):
      self.generation = generation
      handle.setGeneration(generation)
    case .fresh:
      generation = handle.generation
      handle.avoidConnections()
    }
    handle.reportSockets(to: engine.watch)
    engine.cookies?.add(to: easy)
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

  /// Releases the sink after a failure, when libcurl calls no callback and the waiter does not read the data.
  func close() { response.close() }

  /// Continues after the sink has drained, or the body has more bytes to send.
  func resume() {
    lastMove = engine.now
    response.sinkHasDrained()
    // Earlier data is decoded at the end of this turn, before more is received.
    if response.isBehind { touch() }
    guard isPaused && !response.isBehind || upload.isWaiting else { return }
    isPaused = false
    upload.hasMore()
    // This may call `receive` before it returns.
    curl_easy_pause(easy, CURLPAUSE_CONT)
  }

  func result(_ code: CURLcode) -> Result<Void, any Error> {
    if !hasGoneOut { tellSteps(isOut: false) }
    if response.isEndedByProxy || (code == CURLE_OK && response.isRefusedByProxy) {
      return .failure(refusedByProxy)
    }
    if let failure = response.failure ?? loss(code) {
      // A download resumes after the bytes that were received before the connection was lost.
      if response.failure == nil { _ = response.deliver(of: self) }
      return .failure(response.failure ?? failure)
    }
    if exchange.wantsUploadProgress, upload.isFinished, let length = exchange.request.upload.length {
      exchange.didSend(total: length)
    }
    return .success(())
  }

  /// Returns the reason why the response is incomplete, or nil. It depends on the received bytes, not on
  /// libcurl's code alone.
  private func loss(_ code: CURLcode) -> RequestError? {
    if response.isOutcome { return nil }
    if code != CURLE_OK {
      // An alert states the server's reason, and the end of the connection follows from it.
      if fate == nil, firstByte == nil, hasGoneOut, Fate.codes.contains(code), TLSAlert(errorMessage) == nil {
        fate = Fate(of: self)
      }
      return CurlFailure(code, self).error
    }
    guard response.isHeadWhole else {
      return lost("the connection ended within the head of the response")
    }
    if let shortfall = response.shortfall { return lost(shortfall) }
    if tls != nil, !hasTLSEnded {
      return lost("the connection ended without TLS's close_notify, so the response may not be whole")
    }
    return nil
  }

  private func lost(_ reason: String) -> RequestError {
    exchange.error(.connectionLost, reason, reachedServer: true)
  }

  var errorMessage: String { String(cString: handle.errorText) }

  /// The status with which a proxy refused a tunnel, or nil.
  var refusalOfTunnel: HTTPStatus? {
    let status = errand_getinfo_long(easy, CURLINFO_HTTP_CONNECTCODE)
    return status == 0 || 200..<300 ~= status ? nil : HTTPStatus(Int(status))
  }

  var isRefusedByProxy: Bool { response.isRefusedByProxy }
  /// The host that libcurl connects to, or nil.
  var host: String? { handle.host }

  /// True until the head of the response is whole.
  var awaitsHead: Bool { !response.isHeadWhole }

  /// True while bytes of the request's body may be in a buffer of libcurl or of the system.
  var isSending: Bool {
    guard awaitsHead, hasBody else { return false }
    return seenMoves.0 < exchange.request.upload.length ?? .max || seenUnsent > 0
  }

  private var hasBody: Bool {
    if case .none = exchange.request.upload { false } else { true }
  }

  /// Returns when data moved last, as far as this is known at `now`.
  func moved(by now: Moment) -> Moment {
    // If the sink is full, or the body has no more bytes yet, the application causes the delay, not the network.
    if isPaused || response.isSinkFull || response.isBehind || upload.isWaiting { lastMove = now }
    let moves = (
      Int64(errand_getinfo_offset(easy, CURLINFO_SIZE_UPLOAD_T)),
      Int64(errand_getinfo_offset(easy, CURLINFO_PRETRANSFER_TIME_T))
    )
    if moves != seenMoves {
      // `send` recorded when it filled libcurl's buffer. Bytes from that buffer may still be moving.
      if moves.0 != seenMoves.0, moves.0 < exchange.request.upload.length ?? .max {
        lastMove = now
      } else {
        lastMove = max(lastMove, started + .microseconds(moves.1))
      }
      seenMoves = moves
    }
    // On a slow link, the system takes bytes at once, but sends them for a long time.
    if awaitsHead, hasBody, let socket = socket ?? ownSocket {
      let unsent = errand_unsent(socket)
      if unsent != seenUnsent { lastMove = now }
      seenUnsent = unsent
    }
    return lastMove
  }

  /// The socket of a connection that others may join, while this is its only transfer.
  private var ownSocket: Int32? { connection?.streams.count == 1 ? lastSocket : nil }

  /// Returns the time-out that applies now, and its start. Before the connection is made, the connect
  /// time-out may apply.
  /// - Parameter moved: When data moved last.
  func stallLimit(from moved: Moment) -> (since: Moment, limit: Duration) {
    if !hasGoneOut, let limit = exchange.request.connectTimeout { return (started, limit) }
    return (moved, exchange.request.timeout)
  }

  func timedOut() -> Result<Void, any Error> {
    if response.isOutcome { return .success(()) }
    let wait = stallLimit(from: lastMove).limit.formattedSeconds
    let reached = hasReachedServer
    return .failure(
      exchange.error(
        .timedOut, reached ? "nothing came for \(wait)" : "no connection was made within \(wait)",
        reachedServer: reached))
  }

  /// False only if nothing of the request was sent.
  var hasReachedServer: Bool { hasGoneOut }

  /// Returns true if the transfer failed because its connection had ended before anything was sent.
  func needsConnection(_ code: CURLcode) -> Bool {
    code == CURLE_ABORTED_BY_CALLBACK && hasMetEnd && !hasGoneOut
  }
}

extension CurlTransfer: StallWatched {}

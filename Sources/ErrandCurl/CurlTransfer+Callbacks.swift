import CCurl
import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The callbacks of libcurl, on the engine's thread.
extension CurlTransfer {
  static func setCallbacks(_ easy: UnsafeMutableRawPointer) {
    errand_setopt_data_callback(easy, CURLOPT_HEADERFUNCTION) { bytes, size, count, user in
      CurlTransfer.with(user!) {
        $0.receiveField(UnsafeRawBufferPointer(start: bytes, count: size * count))
      } ?? 0
    }
    errand_setopt_data_callback(easy, CURLOPT_WRITEFUNCTION) { bytes, size, count, user in
      CurlTransfer.with(user!) {
        $0.receive(UnsafeRawBufferPointer(start: bytes, count: size * count))
      } ?? 0
    }
    errand_setopt_data_callback(easy, CURLOPT_READFUNCTION) { bytes, size, count, user in
      CurlTransfer.from(user!)?.send(UnsafeMutableRawBufferPointer(start: bytes, count: size * count))
        ?? Int(CURL_READFUNC_ABORT)
    }
    errand_setopt_prereq_callback(easy) { user, remoteAddress, _, remotePort, localPort in
      let ends = SharedConnection.Ends(
        remoteAddress: errand_hash(remoteAddress), remotePort: remotePort, localPort: localPort)
      guard let transfer = CurlTransfer.from(user!), !transfer.meetsEnd(of: ends) else {
        return Int32(CURL_PREREQFUNC_ABORT)
      }
      if localPort > 0, transfer.mayShareConnection { transfer.engine.isUsed(ends, by: transfer) }
      if let address = remoteAddress, let events = transfer.events, !transfer.hasGoneOut {
        events.reached(String(cString: address))
      }
      return Int32(transfer.goOut() ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT)
    }
    errand_setopt_seek_callback(easy) { user, _, _ in
      CurlTransfer.from(user!)?.rewind() ?? Int32(CURL_SEEKFUNC_CANTSEEK)
    }
    errand_setopt_progress_callback(easy) { user, _, _, _, sent in
      CurlTransfer.from(user!)?.report(Int64(sent)) ?? 0
    }
  }

  /// Makes libcurl send the trailers of the body.
  static func sendTrailers(_ easy: UnsafeMutableRawPointer) {
    errand_setopt_trailer_callback(easy) { list, user in
      list?.pointee = CurlTransfer.from(user!)?.trailerLines()
      return Int32(CURL_TRAILERFUNC_OK)
    }
  }

  private func receiveField(_ line: UnsafeRawBufferPointer) -> Int {
    hasReceived()
    if firstByte == nil {
      firstByte = .now - started
      events?.firstByte()
    }
    guard case .yes = response.takeField(line, sending: upload.state) else { return 0 }
    // Before the next request can use the connection.
    if response.isHeadWhole, response.isHTTP1, let lastSocket, let ends {
      engine.watch.isSingle(lastSocket, ends)
    }
    if response.isHeadWhole { hasHead() }
    touch()
    return line.count
  }

  private func receive(_ bytes: UnsafeRawBufferPointer) -> Int {
    hasReceived()
    switch response.takeBody(bytes, of: self, sending: upload.state) {
    case .yes:
      touch()
      return bytes.count
    case .later:
      isPaused = true
      return Int(CURL_WRITEFUNC_PAUSE)
    case .no: return 0
    }
  }

  private func hasHead() {
    // libcurl pauses a request that the server does not want, and would wait for its end.
    if upload.isWaiting, response.refusesRest { wake() }
    if response.lastsUntilEnd, exchange.request.isSecure { engine.awaitTLSEnd(of: self) }
  }

  private func hasReceived() {
    lastMove = engine.now
    connection?.lastReceived = lastMove
  }

  /// Returns true if the kept-alive connection has ended, or has unexpected bytes, so that the transfer gets
  /// a new connection. libcurl only checks whether it has ended, and since version 8 not even that if the
  /// connection was idle for less than a second.
  private func meetsEnd(of ends: SharedConnection.Ends) -> Bool {
    let last = self.ends
    self.ends = ends
    guard !hasGoneOut else {
      // libcurl may close the connection that it used last.
      if let last, let socket = engine.watch.socket(of: last) { loses(socket) }
      return false
    }
    guard !hasMetEnd else { return false }
    // Bytes that came since the last response belong to no request, and libcurl would take them for this response.
    let socket = engine.watch.socket(of: ends)
    hasMetEnd =
      socket.map { errand_has_come($0) || exchange.request.isSecure && errand_has_unread(easy) }
      ?? (!engine.options.isBeforeVersion8 && errand_is_connection_over(easy))
    if !hasMetEnd, let socket { engine.watch.isUsed(socket, by: self) }
    return hasMetEnd
  }

  /// Allows the request to be sent. libcurl sends a request again if its connection ended without a response,
  /// or its stream was refused. It is not allowed to, because the client decides that.
  private func goOut() -> Bool {
    if hasGoneOut {
      guard response.takeAnswerToProxy() || handle.takeDowngrade(), !upload.isSpent else {
        fate = Fate(of: self)
        // libcurl counts its repeats for the lifetime of the handle, and fails at the sixth.
        handle.isSpent = true
        return false
      }
    }
    hasGoneOut = true
    exchange.requestGoesOut()
    if let events {
      tellSteps(isOut: true)
      events.fieldsSent()
    }
    return true
  }

  /// Reports the completed steps to the connection to the listeners.
  func tellSteps(isOut: Bool) {
    guard let events else { return }
    // libcurl reports a reused connection even when none was made.
    let steps = TransferMetrics(easy, version: nil, firstByte: nil, isReused: isOut ? nil : false)
    if let time = steps.dns { events.resolved(in: time) }
    if let time = steps.connect { events.connected(in: time) }
    if let time = steps.tls { events.secured(in: time) }
    if steps.connectionReused == true { events.connectionReused() }
  }

  /// Rewinds the body before libcurl sends the request again. It must not fail, because that ends the process
  /// with libcurl 8.14. `goOut` stops a request whose body cannot be read again.
  private func rewind() -> Int32 {
    upload.rewind()
    return Int32(CURL_SEEKFUNC_OK)
  }

  func touch() {
    guard !isTouched else { return }
    isTouched = true
    engine.touch(self)
  }

  private func send(_ room: UnsafeMutableRawBufferPointer) -> Int {
    lastMove = engine.now
    if mustReadFirst {
      hasYielded = true
      engine.resumesSending(self)
      return Int(CURL_READFUNC_PAUSE)
    }
    do {
      // At most one TLS record, so that the socket is checked before each record.
      let room =
        exchange.request.isSecure ? UnsafeMutableRawBufferPointer(rebasing: room.prefix(16 << 10)) : room
      let (count, isWhole) = try upload.read(into: room)
      if isWhole { events?.bodySent(upload.count) }
      // The next bytes may depend on the end of the response, which has come.
      if upload.isWaiting, response.isWhole { return Int(CURL_READFUNC_ABORT) }
      return count
    } catch {
      response.fail(error)
      return Int(CURL_READFUNC_ABORT)
    }
  }

  /// True if the server has sent something before it has read the whole request. It may have refused the
  /// request and closed the connection. The next write would then fail, and libcurl would read no more.
  private var mustReadFirst: Bool {
    guard !hasYielded, awaitsHead, let socket else { return false }
    return errand_peek(socket) == errand_arrival_bytes
  }

  /// Continues to send after the received bytes were read.
  func resumeSending() {
    hasYielded = false
    curl_easy_pause(easy, isPaused ? CURLPAUSE_RECV : CURLPAUSE_CONT)
  }

  /// Returns the trailers of the request's body, which libcurl frees.
  private func trailerLines() -> UnsafeMutablePointer<curl_slist>? {
    upload.trailers.reduce(nil) { list, field in
      "\(field.name): \(field.value)".withCString { curl_slist_append(list, $0) }
    }
  }

  private func report(_ sent: Int64) -> Int32 {
    if sent > reportedSent {
      reportedSent = sent
      exchange.didSend(total: sent)
    }
    return 0
  }
}

/// Reads the body of one attempt, piece by piece.
struct CurlUpload: ~Copyable {
  /// True while more bytes of the body are expected, but not available yet.
  private(set) var isWaiting = false
  private let upload: Upload
  private var offset = 0
  /// The number of bytes that were read.
  private(set) var count: Int64 = 0
  /// True when libcurl has all bytes.
  private(set) var isFinished: Bool
  /// True if the body had to be rewound, but bytes were read that cannot be read again.
  private(set) var isSpent = false

  init(_ upload: Upload) {
    self.upload = upload
    if case .none = upload { isFinished = true } else { isFinished = false }
  }

  /// Fills `room` from its start. Returns the result of libcurl's read callback, and true once, when the body
  /// is whole.
  mutating func read(into room: UnsafeMutableRawBufferPointer) throws -> (Int, isWhole: Bool) {
    var read = 0
    switch upload {
    case .none: break
    case .bytes(let data):
      read = min(room.count, data.count - offset)
      room.copyBytes(from: data.dropFirst(offset).prefix(read))
      offset += read
    case .reader(let reader):
      switch try reader.fill(room) {
      case .bytes(let count): read = count
      case .end: break
      case .notYet:
        isWaiting = true
        return (Int(CURL_READFUNC_PAUSE), false)
      }
    }
    guard !isFinished else { return (read, false) }
    count += Int64(read)
    isFinished = read == 0 || count == upload.length
    return (read, isFinished)
  }

  mutating func hasMore() { isWaiting = false }

  var state: CurlResponse.Sending {
    isFinished ? .ended : isWaiting ? .waiting : count == 0 ? .unsent : .open
  }

  /// The trailers of a body that has ended.
  var trailers: HTTPFields {
    if case .reader(let reader) = upload { reader.trailers ?? [:] } else { [:] }
  }

  /// Rewinds the body, if possible.
  mutating func rewind() {
    switch upload {
    case .none: break
    case .bytes:
      (offset, count, isFinished) = (0, 0, false)
    case .reader: isSpent = count > 0
    }
  }
}

extension TransferMetrics {
  /// Makes metrics from libcurl's times, which all count from the start. A step is the difference of two.
  /// - Parameter isReused: Whether the connection was reused; nil to ask libcurl.
  init(
    _ easy: UnsafeMutableRawPointer, version: HTTPVersion?, firstByte: Duration?, isReused: Bool? = nil
  ) {
    self.init()
    func time(_ info: CURLINFO) -> Duration? {
      let microseconds = errand_getinfo_offset(easy, info)
      return microseconds > 0 ? .microseconds(Int64(microseconds)) : nil
    }
    let isReused = isReused ?? (errand_getinfo_long(easy, CURLINFO_NUM_CONNECTS) == 0)
    connectionReused = isReused
    if !isReused {
      dns = time(CURLINFO_NAMELOOKUP_TIME_T)
      let connected = time(CURLINFO_CONNECT_TIME_T)
      if let connected { connect = max(.zero, connected - (dns ?? .zero)) }
      if let secured = time(CURLINFO_APPCONNECT_TIME_T) { tls = max(.zero, secured - (connected ?? .zero)) }
    }
    // libcurl's time would include the first byte of an upload.
    self.firstByte = firstByte
    bytesSent = Int64(errand_getinfo_offset(easy, CURLINFO_SIZE_UPLOAD_T))
    bytesReceived = Int64(errand_getinfo_offset(easy, CURLINFO_SIZE_DOWNLOAD_T))
    httpVersion = version
  }
}

extension CurlTransfer: SocketHolder {
  func hold(_ socket: Int32?, isSingle: Bool) -> Bool {
    if let socket { lastSocket = socket }
    guard isSingle || !mayShareConnection else { return false }
    self.socket = socket
    return socket != nil
  }

  func loses(_ socket: Int32) {
    guard hasGoneOut, firstByte == nil, fate == nil, ending == .unknown else { return }
    ending = ConnectionEnding(of: socket)
    sentBeforeEnding = (
      UInt64(max(0, errand_getinfo_long(easy, CURLINFO_REQUEST_SIZE))),
      UInt64(max(0, errand_getinfo_offset(easy, CURLINFO_SIZE_UPLOAD_T)))
    )
    // Over TLS, the socket's bytes are encrypted, so they are not the response.
    guard !upload.isFinished, !exchange.request.isSecure, !engine.options.hasProxies else { return }
    UnreadResponse.read(from: socket).withUnsafeBytes { receive(UnreadResponse($0)) }
  }

  private func receive(_ unread: UnreadResponse) {
    var unread = unread
    while awaitsHead {
      guard let line = unread.takeLine(), receiveField(line) == line.count else { return }
    }
    let body = unread.body(atMost: response.bytesLeft)
    if !body.isEmpty { _ = receive(body) }
  }
}

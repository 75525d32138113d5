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
    errand_setopt_progress_callback(easy) { user, _, _, _, sent in
      CurlTransfer.from(user!)?.report(Int64(sent)) ?? 0
    }
  }

  /// Lets libcurl send a body again.
  static func setRewinding(_ easy: UnsafeMutableRawPointer) {
    errand_setopt_seek_callback(easy) { user, offset, origin in
      CurlTransfer.from(user!)?.rewind(to: Int64(offset), from: origin) ?? Int32(CURL_SEEKFUNC_CANTSEEK)
    }
  }

  private func receiveField(_ line: UnsafeRawBufferPointer) -> Int {
    hasReceived()
    if firstByte == nil {
      firstByte = ContinuousClock.now - started
      events?.firstByte()
    }
    guard case .yes = response.takeField(line) else { return 0 }
    // Before the connection can go to the next request.
    if response.isHeadWhole, response.isHTTP1, let lastSocket, let ends {
      engine.watch.isSingle(lastSocket, ends)
    }
    touch()
    return line.count
  }

  private func receive(_ bytes: UnsafeRawBufferPointer) -> Int {
    guard !isDiscarded else { return bytes.count }
    hasReceived()
    switch response.takeBody(bytes, of: self) {
    case .yes:
      touch()
      return bytes.count
    case .later:
      isPaused = true
      return Int(CURL_WRITEFUNC_PAUSE)
    case .no: return 0
    }
  }

  private func hasReceived() {
    lastMove = engine.now
    connection?.lastReceived = lastMove
  }

  /// Returns true if the kept-alive connection has ended, or something has come that was not asked for, so that the
  /// transfer gets a new one. libcurl looks only whether it has ended, and since version 8 not if it was idle for less than
  /// a second.
  private func meetsEnd(of ends: SharedConnection.Ends) -> Bool {
    self.ends = ends
    guard !hasGoneOut, !hasMetEnd else { return false }
    hasMetEnd =
      engine.watch.hasCome(ends) ?? (!engine.options.isBeforeVersion8 && errand_is_connection_over(easy))
    return hasMetEnd
  }

  /// Allows the request to go out. libcurl sends it again by itself when a kept-alive connection turns out to
  /// be closed.
  private func goOut() -> Bool {
    defer { hasGoneOut = true }
    guard !hasGoneOut || response.takeAnswerToProxy() || exchange.claimRepeat() else { return false }
    if let events {
      tellSteps(isOut: true)
      events.fieldsSent()
    }
    return true
  }

  /// Tells listeners of the steps to the connection, as far as they were taken.
  func tellSteps(isOut: Bool) {
    guard let events else { return }
    // Of a connection that was not made libcurl would say that it was there.
    let steps = TransferMetrics(easy, version: nil, firstByte: nil, isReused: isOut ? nil : false)
    if let time = steps.dns { events.resolved(in: time) }
    if let time = steps.connect { events.connected(in: time) }
    if let time = steps.tls { events.secured(in: time) }
    if steps.connectionReused == true { events.connectionReused() }
  }

  /// Makes libcurl read the body from its beginning. It may do so after a proxy's challenge only, because a server can
  /// have what was sent otherwise.
  private func rewind(to offset: Int64, from origin: Int32) -> Int32 {
    let isDone = origin == SEEK_SET && offset == 0 && response.isRefusedByProxy && upload.rewind()
    return Int32(isDone ? CURL_SEEKFUNC_OK : CURL_SEEKFUNC_CANTSEEK)
  }

  func touch() {
    guard !isTouched else { return }
    isTouched = true
    engine.touch(self)
  }

  private func send(_ room: UnsafeMutableRawBufferPointer) -> Int {
    lastMove = engine.now
    do {
      let count = try upload.read(into: room)
      if let events, upload.hasEnded(with: count) { events.bodySent(upload.count) }
      return count
    } catch {
      response.fail(error)
      return Int(CURL_READFUNC_ABORT)
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
struct CurlUpload {
  /// True while the body has no more bytes yet.
  private(set) var isWaiting = false
  private let upload: Upload
  private var offset = 0
  /// The number of bytes that were read.
  private(set) var count: Int64 = 0
  private var isWhole = false

  init(_ upload: Upload) { self.upload = upload }

  /// Fills `room` from its start; returns what libcurl's read callback returns.
  mutating func read(into room: UnsafeMutableRawBufferPointer) throws -> Int {
    switch upload {
    case .none: return 0
    case .bytes(let data):
      let count = min(room.count, data.count - offset)
      room.copyBytes(from: data.dropFirst(offset).prefix(count))
      offset += count
      return count
    case .reader(let reader):
      switch try reader.fill(room) {
      case .bytes(let count): return count
      case .end: return 0
      case .notYet:
        isWaiting = true
        return Int(CURL_READFUNC_PAUSE)
      }
    }
  }

  /// Counts what was read, for listeners. Returns true once, when the body is whole.
  mutating func hasEnded(with read: Int) -> Bool {
    guard !isWhole, !isWaiting else { return false }
    count += Int64(read)
    isWhole = read == 0 || count == upload.length
    return isWhole
  }

  mutating func hasMore() { isWaiting = false }

  /// Begins again. Returns false if bytes were read that cannot be read again.
  mutating func rewind() -> Bool {
    switch upload {
    case .none: return true
    case .bytes:
      offset = 0
      return true
    case .reader: return false
    }
  }
}

extension TransferMetrics {
  /// Makes metrics of libcurl's times, which are all counted from the start; a step is the difference of two.
  /// - Parameter isReused: Whether the connection was there; nil to ask libcurl.
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
    // libcurl's own time would include the first byte of an upload.
    self.firstByte = firstByte
    bytesSent = Int64(errand_getinfo_offset(easy, CURLINFO_SIZE_UPLOAD_T))
    bytesReceived = Int64(errand_getinfo_offset(easy, CURLINFO_SIZE_DOWNLOAD_T))
    httpVersion = version
  }
}

extension CurlTransfer: SocketHolder {
  func hold(_ socket: Int32?) -> Bool {
    if let socket { lastSocket = socket }
    guard !mayShareConnection else { return false }
    self.socket = socket
    return socket != nil
  }
}

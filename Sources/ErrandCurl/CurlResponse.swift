import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Collects a response from libcurl's callbacks and passes it to the sink.
///
/// During a turn of the engine, the data is only buffered. If the response is complete by then, the waiting
/// task delivers it on its thread. The data of a longer response is delivered at the end of each turn.
struct CurlResponse: ~Copyable {
  enum Taken {
    case yes
    /// The sink is full, and the bytes were not taken.
    case later
    /// No more bytes are taken, because the response is refused (see `failure`) or whole already.
    case no
  }

  /// The largest body that is buffered before the head is parsed, in bytes.
  private static let unseenSize = 64 << 10
  /// The size of a decoded chunk.
  private static let pieceSize = 128 << 10
  /// The most bytes that are decoded in one turn, because other transfers wait meanwhile.
  private static let decodedShare = 1 << 20

  private(set) var head: ResponseHead?
  private(set) var version: HTTPVersion?
  private(set) var isHTTP1 = false
  private(set) var isHeadWhole = false
  private(set) var isSinkFull = false
  private(set) var failure: (any Error)?

  private let exchange: Exchange
  private let handle: CurlHandle
  private let maxFieldBytes: Int
  private let proxyMayRefuse: Bool
  /// True from a proxy's 407 until the next head begins.
  private(set) var isRefusedByProxy = false
  /// True if a proxy's 407 is the outcome, and the rest of that response was not read.
  private(set) var isEndedByProxy = false
  /// True if libcurl has not yet responded to the proxy's challenge.
  private var mayAnswerProxy = false
  /// The number of the proxy's challenges. Two are normal: the first, and one that replaces an expired nonce.
  /// Without a limit, libcurl would respond endlessly.
  private var challenges = 0
  private var fieldBytes = 0
  /// The number of lines of the head so far.
  private var lines = 0
  private var status = 0
  private var framing = BodyFraming()
  /// The decoder of the body's chunks; nil if the body is not chunked.
  private var chunks: ChunkedBody?
  /// True if the transfer ended here because the response is whole. libcurl would continue to send the request.
  private var isEnough = false
  /// The lines of the trailers of HTTP/2. Those of HTTP/1 are in `chunks`.
  private var trailerLines: [UInt8] = []
  /// The trailers of a complete response; nil without trailers.
  private(set) var trailers: HTTPFields?
  /// The bytes of the body, as received.
  private var taken: Int64 = 0
  private var sink: (any BodySink)?
  /// The bytes that are not delivered yet, as received.
  private var collected: BodyCollector
  private var decoder: ContentDecoder?

  init(_ exchange: Exchange, _ handle: CurlHandle, maxFieldBytes: Int, proxyMayRefuse: Bool) {
    self.proxyMayRefuse = proxyMayRefuse
    self.exchange = exchange
    self.handle = handle
    self.maxFieldBytes = maxFieldBytes
    collected = BodyCollector(handle.memory)
  }

  /// Reads a line of the head, or of the trailers of HTTP/2, including its end.
  mutating func takeField(_ line: UnsafeRawBufferPointer, sending: Sending) -> Taken {
    fieldBytes += line.count
    guard fieldBytes <= maxFieldBytes else { return refuseSize() }
    guard !isHeadWhole else {
      if !isHTTP1 { trailerLines.append(contentsOf: line) }
      return .yes
    }
    if lines > 0, handle.hasOddHead || (lines == 1 && (line.first == 32 || line.first == 9)) {
      return refuse("the first field of the response begins with a space")
    }
    lines += 1
    handle.guardHead(after: lines)
    if lines == 1 {
      // libcurl treats every line but the first as a field, so only the first is checked.
      guard let line = StatusLine(line[...]) else {
        return refuse("the response does not begin with a status line")
      }
      status = line.status
      // A server of HTTP/1 may write any version there.
      isHTTP1 =
        line.version == .http11 || line.version == .http10 || !CurlOptions.mayUseHTTP2(exchange.request)
      isRefusedByProxy = false
    }
    guard line.first == 13 || line.first == 10 else {
      handle.head.append(contentsOf: line)
      return .yes
    }
    // For libcurl, such a line ends the head. The next head would be read without `guardHead`.
    guard line.count <= 2 else { return refuse("a line of the response's head begins with a line break") }
    guard status >= 100 else { return refuse("the response has the status \(status)") }
    guard status != 101 else {
      return refuse("the server switched to another protocol without being asked to")
    }
    // An interim response (1xx) is followed by another head.
    isRefusedByProxy = proxyMayRefuse && status == 407
    if isRefusedByProxy {
      challenges += 1
      mayAnswerProxy = true
      isEndedByProxy = challenges > 2
    }
    // The challenge of a proxy is not the response either. libcurl responds to it if it can.
    isHeadWhole = status >= 200 && !isRefusedByProxy
    guard isHeadWhole else {
      if status < 200 { tellInterim() }
      handle.head.removeAll(keepingCapacity: true)
      lines = 0
      return isEndedByProxy ? .no : .yes
    }
    framing = handle.head.withUnsafeBytes { handle.memo.framing(of: $0) }
    // Before the body, because libcurl would guess its end, and reuse the connection.
    if let problem = framing.problem(
      mayHaveBody: mayHaveBody, decodes: exchange.request.decodesContent)
    {
      return refuse(problem)
    }
    if isHTTP1, framing.isChunked { chunks = ChunkedBody() }
    isEnough = endsAtHead || isWhole && ends(sending)
    return isEnough ? .no : .yes
  }

  /// True if the response is whole according to its head, or after its last chunk. For any other body, only
  /// libcurl knows that.
  var isWhole: Bool { isHeadWhole && (!mayHaveBody || chunks?.isWhole ?? (framing.bytes == taken)) }

  /// True if the response is the outcome, whatever libcurl reports. A server may send the whole response
  /// before it has read the request, and then end the stream or the connection (RFC 9113, section 8.1; RFC
  /// 9112, section 9.3).
  var isOutcome: Bool { isEnough || isWhole }

  /// True if the body ends when the connection ends.
  var lastsUntilEnd: Bool {
    isHeadWhole && isHTTP1 && mayHaveBody && chunks == nil && framing.bytes == nil
  }

  /// The number of bytes of the body that are still to come; nil if it is unknown.
  var bytesLeft: Int64? { mayHaveBody ? framing.bytes.map { $0 - taken } : 0 }

  /// True if libcurl may have refused a trailer because of its length.
  var hasLongTrailer: Bool { chunks?.hasLongTrailer ?? false }

  /// The reason why a response is incomplete although libcurl considers it whole, or nil.
  var shortfall: String? {
    guard mayHaveBody, !isWhole else { return nil }
    if chunks != nil { return "the connection ended before the last chunk of the response" }
    guard let announced = framing.bytes else { return nil }
    return "the connection ended after \(taken) of the \(announced) bytes of the response"
  }

  private var mayHaveBody: Bool { HTTPStatus(status).mayHaveBody(to: exchange.request.method) }

  /// The state of the request's body.
  enum Sending {
    case ended
    /// No bytes were read yet.
    case unsent
    /// More bytes are available.
    case open
    /// The next bytes are not available yet.
    case waiting
  }

  /// Returns true if a whole response ends the transfer, because the server does not want the rest of the request,
  /// or because the rest may depend on the end of the response.
  private func ends(_ sending: Sending) -> Bool {
    switch sending {
    case .ended: false
    // A server that needs no body responds without `100 Continue` (RFC 9110, section 10.1.1).
    case .unsent: status >= 300 || exchange.request.fields.contains("Expect")
    case .open: status >= 300 || (exchange.interimReader?.ends(at: parsedHead) ?? false)
    case .waiting: true
    }
  }

  private var parsedHead: ResponseHead {
    var memo = HeadMemo()
    return handle.head.withUnsafeBytes { HeadParser($0, &memo) }.head
  }

  /// True after the head, if the server does not want the rest of the request.
  var refusesRest: Bool { isHeadWhole && status >= 300 }

  /// Reports an interim response (1xx) to listeners, and to the reader of the request's body.
  private func tellInterim() {
    let (events, reader) = (exchange.events, status == 100 ? nil : exchange.interimReader)
    guard events != nil || reader != nil else { return }
    let head = parsedHead
    events?.interim(head)
    reader?.received(interim: head)
  }

  private mutating func refuseSize() -> Taken {
    failure = exchange.error(
      .fieldsTooLarge, "the response's fields are larger than \(maxFieldBytes) bytes", reachedServer: true)
    return .no
  }

  private mutating func refuse(_ reason: String) -> Taken {
    failure = exchange.error(.invalidResponse, reason, reachedServer: true)
    return .no
  }

  /// Returns true once after a proxy's challenge. The request may then be sent again, because no server has
  /// received it.
  mutating func takeAnswerToProxy() -> Bool {
    defer { mayAnswerProxy = false }
    return mayAnswerProxy
  }

  /// True if libcurl would not end at the response. After a 417 it would send the request again without
  /// `Expect`. For HEAD with a request body, it would wait for the announced response body, which does not
  /// exist.
  private var endsAtHead: Bool {
    if status == 417, exchange.request.fields.contains("Expect") { return true }
    guard exchange.request.method == .head else { return false }
    if case .none = exchange.request.upload { return false }
    return true
  }

  mutating func takeBody(
    _ bytes: UnsafeRawBufferPointer, of transfer: CurlTransfer, sending: Sending
  ) -> Taken {
    if isSinkFull || isBehind { return .later }
    // The sink is not open yet, so the body would be buffered without limit.
    guard !isRefusedByProxy else {
      isEndedByProxy = true
      return .no
    }
    guard isHeadWhole else { return refuse("a body came before the head was whole") }
    // With HTTP/1, libcurl reads no more than that.
    if !isHTTP1, let announced = framing.bytes, taken + Int64(bytes.count) > announced {
      return refuse("the response has more than the \(announced) bytes that it announces")
    }
    if sink == nil {
      if handle.body.count + bytes.count <= Self.unseenSize {
        let count = content(of: bytes) { $0.handle.body.append(contentsOf: $1) }
        return took(count, sending)
      }
      guard open(transfer) else { return .no }
      holdForWhole()
      handle.body.withUnsafeBytes { collected.append($0) }
    }
    if !collected.hasRoom(for: bytes.count) {
      guard deliver(of: transfer) else { return .no }
      if isSinkFull || isBehind { return .later }
    }
    let count = content(of: bytes) { $0.collected.append($1) }
    guard !collected.isWhole || deliver(of: transfer) else { return .no }
    return took(count, sending)
  }

  /// Passes the content of received bytes to `take`, and returns its length.
  private mutating func content(
    of bytes: UnsafeRawBufferPointer, _ take: (inout Self, UnsafeRawBufferPointer) -> Void
  ) -> Int {
    guard var chunks else {
      take(&self, bytes)
      return bytes.count
    }
    var count = 0
    chunks.take(bytes) { piece in
      count += piece.count
      take(&self, piece)
    }
    self.chunks = chunks
    return count
  }

  private mutating func took(_ count: Int, _ sending: Sending) -> Taken {
    if let chunks {
      if chunks.isMalformed { return refuse("the chunks of the response are malformed") }
      guard fieldBytes + chunks.trailers.count <= maxFieldBytes else { return refuseSize() }
    }
    taken += Int64(count)
    guard isWhole, ends(sending) else { return .yes }
    isEnough = true
    return .no
  }

  /// Collects a body of known length for a sink that takes it whole. The sink then takes over the collected
  /// bytes without a copy.
  private mutating func holdForWhole() {
    guard decoder == nil, let sink = sink as? any WholeBodySink, let length = framing.bytes,
      length <= sink.limit,
      length > handle.body.count
    else { return }
    collected.hold(length)
  }

  /// Delivers the data of a turn, unless it waits for more. Returns false if the response is refused.
  mutating func deliverTurn(of transfer: CurlTransfer) -> Bool {
    collected.waitsForMore || deliver(of: transfer)
  }

  /// Delivers the buffered data. Returns false if the response is refused.
  mutating func deliver(of transfer: CurlTransfer) -> Bool {
    guard isHeadWhole, failure == nil else { return failure == nil }
    let whole: Data
    if sink == nil {
      guard open(transfer) else { return false }
      whole = Data(handle.body)
    } else {
      whole = collected.take()
    }
    guard !whole.isEmpty || isBehind, let sink else { return true }
    do {
      if let decoder {
        decoder.put(whole)
        try decode(decoder, into: sink, of: transfer)
      } else {
        isSinkFull = try sink.write(whole) == .wait
      }
      return true
    } catch {
      failure = error
      return false
    }
  }

  /// Parses the head and opens the sink.
  private mutating func open(_ transfer: CurlTransfer) -> Bool {
    let parser = handle.head.withUnsafeBytes { HeadParser($0, &handle.memo) }
    version = parser.version
    do {
      let sink = try exchange.sink(for: parser.head)
      if parser.hasContentEncoding, exchange.request.decodesContent {
        decoder = ContentDecoder(parser.head.fields)
      }
      if decoder == nil { sink.onDrain { transfer.wake() } } else { sink.onDrain { transfer.sinkHasRoom() } }
      self.sink = sink
      head = parser.head
      return true
    } catch {
      failure = error
      return false
    }
  }

  /// Decodes the buffered data until the sink is full or the turn's share is used up, because a few bytes can
  /// decode to many.
  private mutating func decode(_ decoder: ContentDecoder, into sink: any BodySink, of transfer: CurlTransfer)
    throws
  {
    var share = Self.decodedShare
    do {
      while !isSinkFull, share > 0, let piece = try decoder.takePiece(Self.pieceSize) {
        share -= piece.count
        transfer.sinkIsAsked()
        isSinkFull = try sink.write(piece) == .wait
      }
    } catch let failure as DecodingFailure { throw undecodable(failure) }
  }

  /// True if decoded bytes wait for the sink to drain, or for the next turn.
  var isBehind: Bool { decoder?.hasMore ?? false }

  /// Returns true if the next turn should continue to decode, although no network data arrives and the sink
  /// is not full.
  func wantsTurn(isPaused: Bool) -> Bool { decoder != nil && !isSinkFull && (isBehind || isPaused) }

  /// Ends a body that was received and delivered. Returns false if it is incomplete.
  mutating func end() -> Bool {
    guard failure == nil else { return false }
    do { try decoder?.end() } catch { failure = undecodable(error) }
    takeTrailers()
    return failure == nil
  }

  private mutating func takeTrailers() {
    let lines = chunks?.trailers ?? trailerLines
    guard !lines.isEmpty, failure == nil else { return }
    lines.withUnsafeBytes { bytes in
      if BodyFraming(bytes[...]).problem(mayHaveBody: false) != nil {
        _ = refuse("the trailers of the response are malformed")
      } else {
        var memo = HeadMemo()
        trailers = HeadParser(bytes, &memo).head.fields
      }
    }
  }

  private func undecodable(_ reason: DecodingFailure) -> RequestError {
    exchange.error(.badEncoding, "the response's body cannot be decoded: \(reason)", reachedServer: true)
  }

  mutating func sinkHasDrained() { isSinkFull = false }

  mutating func fail(_ error: any Error) { failure = error }

  /// Releases the sink, and makes the sink release the transfer.
  mutating func close() {
    sink?.onDrain {}
    sink = nil
  }
}

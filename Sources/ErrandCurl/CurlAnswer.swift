import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The way in: collects what libcurl brings and hands it to the sink.
///
/// What comes within one turn of the engine only piles up here. An answer that is complete by then is judged by the one who
/// waits for it, on that one's thread; what is longer is handed on at the end of each turn.
struct CurlAnswer {
  enum Taken {
    case yes
    /// The sink is full: nothing was taken.
    case later
    /// It is not wanted; `failure` says why.
    case no
  }

  /// So much of a body may pile up before anybody has looked at the head.
  private static let unseenSize = 64 << 10
  /// A chunk of this size is handed on in the middle of a turn.
  private static let deliverySize = 256 << 10
  /// The size of a decoded chunk.
  private static let pieceSize = 128 << 10
  /// So much is decoded in one turn: other transfers wait meanwhile.
  private static let decodedShare = 1 << 20

  private(set) var head: ResponseHead?
  private(set) var version: HTTPVersion?
  private(set) var isHeadWhole = false
  private(set) var isSinkFull = false
  private(set) var failure: (any Error)?

  private let exchange: Exchange
  private let handle: CurlHandle
  private let maxFieldBytes: Int
  private var fieldBytes = 0
  /// The lines of the head that have come.
  private var lines = 0
  private var status = 0
  private var sink: (any BodySink)?
  /// What has come and is not handed on: as it came.
  private var chunk = Data()
  private var decoder: ContentDecoder?

  init(_ exchange: Exchange, _ handle: CurlHandle, maxFieldBytes: Int) {
    self.exchange = exchange
    self.handle = handle
    self.maxFieldBytes = maxFieldBytes
  }

  /// Takes a line of the head, with its end. What comes behind the head are trailers, which are dropped.
  mutating func takeField(_ line: UnsafeRawBufferPointer) -> Taken {
    fieldBytes += line.count
    guard fieldBytes <= maxFieldBytes else {
      failure = exchange.error(
        .fieldsTooLarge, "the answer's fields are larger than \(maxFieldBytes) bytes", reachedServer: true)
      return .no
    }
    guard !isHeadWhole else { return .yes }
    if handle.hasOddHead || (lines == 1 && (line.first == 32 || line.first == 9)) {
      return refuse("the first field of the response begins with a space")
    }
    lines += 1
    if lines == 1 {
      // Only a head's first line says what it is: libcurl takes all others for fields, whatever they look like.
      guard let line = StatusLine(line[...]) else {
        return refuse("the response does not begin with a status line")
      }
      status = line.status
    }
    guard line.count <= 2, line.allSatisfy({ $0 == 13 || $0 == 10 }) else {
      handle.head.append(contentsOf: line)
      return .yes
    }
    guard status >= 100 else { return refuse("the response has the status \(status)") }
    guard status != 101 else {
      return refuse("the server switched to another protocol, which was not asked for")
    }
    // An interim response (1xx) is not the response: another head follows.
    isHeadWhole = status >= 200
    if !isHeadWhole {
      handle.head.removeAll(keepingCapacity: true)
      lines = 0
    }
    return endsAtHead ? .no : .yes
  }

  private mutating func refuse(_ reason: String) -> Taken {
    failure = exchange.error(.invalidResponse, reason, reachedServer: true)
    return .no
  }

  /// True where libcurl would not end with the response. After a 417 it would send the request again by itself, without
  /// `Expect`; for HEAD with a body of its own it would wait for the body that the response announces and does not have.
  var endsAtHead: Bool {
    guard isHeadWhole else { return false }
    if status == 417, exchange.request.fields.contains("Expect") { return true }
    guard exchange.request.method == .head else { return false }
    if case .none = exchange.request.upload { return false }
    return true
  }

  mutating func takeBody(_ bytes: UnsafeRawBufferPointer, of transfer: CurlTransfer) -> Taken {
    if isSinkFull || isBehind { return .later }
    // Nobody would take it, so it would pile up without end.
    guard isHeadWhole else { return refuse("a body came before the head was whole") }
    if sink == nil {
      if handle.body.count + bytes.count <= Self.unseenSize {
        handle.body.append(contentsOf: bytes)
        return .yes
      }
      guard open(transfer) else { return .no }
    }
    chunk.append(contentsOf: bytes)
    return chunk.count < Self.deliverySize || deliver(of: transfer) ? .yes : .no
  }

  /// Hands on what is here. False if it is not wanted.
  mutating func deliver(of transfer: CurlTransfer) -> Bool {
    guard isHeadWhole, failure == nil else { return failure == nil }
    if sink == nil, !open(transfer) { return false }
    guard !chunk.isEmpty || isBehind, let sink else { return true }
    let whole = chunk
    chunk = Data()
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

  /// Reads the head and asks where the body goes.
  private mutating func open(_ transfer: CurlTransfer) -> Bool {
    let parser = handle.head.withUnsafeBytes { HeadParser($0) }
    version = parser.version
    do {
      if parser.hasConflictingLengths {
        throw exchange.error(
          .invalidResponse, "the answer announces two different lengths", reachedServer: true)
      }
      if parser.hasTransferCoding {
        throw exchange.error(
          .invalidResponse, "the response has a transfer coding that was not asked for", reachedServer: true)
      }
      let sink = try exchange.sink(for: parser.head)
      if parser.hasContentEncoding { decoder = ContentDecoder(parser.head.fields) }
      if decoder == nil { sink.onDrain { transfer.wake() } } else { sink.onDrain { transfer.sinkHasRoom() } }
      self.sink = sink
      head = parser.head
      if !handle.body.isEmpty { chunk = Data(handle.body) }
      return true
    } catch {
      failure = error
      return false
    }
  }

  /// Decodes what is here, as far as the sink takes it, and no more than is one turn's share: a little can become a lot.
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

  /// True if decoded bytes wait for room in the sink, or for the next turn.
  var isBehind: Bool { decoder?.hasMore ?? false }

  /// True if the next turn should go on with it, though nothing comes from the network and the sink has room.
  func wantsTurn(isPaused: Bool) -> Bool { decoder != nil && !isSinkFull && (isBehind || isPaused) }

  /// All has come and is handed on. False if it cannot be all.
  mutating func end() -> Bool {
    guard failure == nil else { return false }
    do { try decoder?.end() } catch { failure = undecodable(error) }
    return failure == nil
  }

  private func undecodable(_ reason: DecodingFailure) -> RequestError {
    exchange.error(.badEncoding, "the response's body cannot be decoded: \(reason)", reachedServer: true)
  }

  mutating func sinkHasDrained() { isSinkFull = false }

  mutating func fail(_ error: any Error) { failure = error }

  /// Lets go of the sink, and makes it let go of the transfer.
  mutating func close() {
    sink?.onDrain {}
    sink = nil
  }
}

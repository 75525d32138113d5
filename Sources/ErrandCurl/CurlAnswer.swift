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

  private(set) var head: ResponseHead?
  private(set) var version: HTTPVersion?
  private(set) var isHeadWhole = false
  private(set) var isSinkFull = false
  private(set) var failure: (any Error)?

  private let exchange: Exchange
  private let handle: CurlHandle
  private let maxFieldBytes: Int
  private var fieldBytes = 0
  private var status = 0
  private var sink: (any BodySink)?
  private var chunk = Data()

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
    if let line = StatusLine(line[...]) {
      status = line.status
      handle.head.removeAll(keepingCapacity: true)
    }
    if line.count <= 2, line.allSatisfy({ $0 == 13 || $0 == 10 }) {
      // An interim answer (1xx) is no answer.
      isHeadWhole = status >= 200 || status == 101
    } else {
      handle.head.append(contentsOf: line)
    }
    return .yes
  }

  mutating func takeBody(_ bytes: UnsafeRawBufferPointer, of transfer: CurlTransfer) -> Taken {
    if isSinkFull { return .later }
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
    guard !chunk.isEmpty, let sink else { return true }
    let whole = chunk
    chunk = Data()
    do {
      isSinkFull = try sink.write(whole) == .wait
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
      let sink = try exchange.sink(for: parser.head)
      sink.onDrain { transfer.wake() }
      self.sink = sink
      head = parser.head
      if !handle.body.isEmpty { chunk = Data(handle.body) }
      return true
    } catch {
      failure = error
      return false
    }
  }

  mutating func sinkHasDrained() { isSinkFull = false }

  mutating func fail(_ error: any Error) { failure = error }

  /// Lets go of the sink, which may hold a handler that holds the transfer.
  mutating func close() { sink = nil }
}

import ErrandCore
import ErrandServing

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

/// An accepted connection, which reads requests and sends responses step by step. Used only on the loop's thread.
final class ServerConnection {
  let descriptor: Int32
  let number: Int
  /// The end of the current pause, or of the wait for the client to close.
  private(set) var wakeAt: ContinuousClock.Instant?
  /// True once the connection has ended and its descriptor is closed.
  private(set) var isOver = false

  private unowned let loop: ServerLoop
  private var parser = RequestParser()
  private var current: MockRequest?
  private var isBodyComplete = false
  /// The number of bytes of the body that an echo has sent back.
  private var echoed = 0
  private var route: ServerRoutes.Route?
  /// Takes the body of the current request; nil if the journal does.
  private var taker: (any BodyTaker)?
  private var actions: ArraySlice<ServerAction> = []
  private var hasResponse = false
  private var output = Data()
  private var outputOffset = 0
  private var isStalled = false
  private var stopsReading = false
  /// True after the sending side was closed. Data that still arrives is read and discarded, because closing
  /// with unread data would reset the connection before the client has the whole response.
  private var isLingering = false

  init(descriptor: Int32, number: Int, loop: ServerLoop) {
    self.descriptor = descriptor
    self.number = number
    self.loop = loop
  }

  var pollEvents: Int16 {
    // POLLIN cannot show the end of the connection while data stays unread.
    var events = stopsReading ? Socket.closedByPeer : Int16(POLLIN)
    if outputOffset < output.count, !isLingering { events |= Int16(POLLOUT) }
    return events
  }

  // MARK: Events

  func handle(_ events: Int16, _ room: UnsafeMutableRawBufferPointer) {
    let broken = Int16(POLLHUP) | Int16(POLLERR)
    if stopsReading {
      if events & (Socket.closedByPeer | broken) != 0 { return endedByClient(.closedByClient) }
    } else if events & (Int16(POLLIN) | broken) != 0 {
      read(room)
    }
    if !isOver { advance() }
  }

  func handleTime(_ now: ContinuousClock.Instant) {
    guard let wakeAt, wakeAt <= now else { return }
    self.wakeAt = nil
    if isLingering { return closeDescriptor() }
    advance()
  }

  /// Closes the connection because the server stops.
  func shut() {
    guard !isOver else { return }
    if !isLingering { note(.closedByServer) }
    closeDescriptor()
  }

  private func read(_ room: UnsafeMutableRawBufferPointer) {
    // The limit keeps one busy connection from delaying the others.
    for _ in 0..<16 {
      switch Socket.receive(descriptor, into: room) {
      case .bytes(let count):
        if isLingering { continue }
        loop.journal.update { $0.connections[number - 1].bytesReceived += count }
        parser.append(UnsafeRawBufferPointer(rebasing: room[..<count]))
        parse()
        if isOver || stopsReading { return }
      case .wouldBlock: return
      case .ended: return endedByClient(.closedByClient)
      case .failed: return endedByClient(.resetByClient)
      }
    }
  }

  private func endedByClient(_ end: MockConnection.End) {
    if !isLingering {
      let abandoned = current?.index
      loop.journal.update { record in
        record.connections[number - 1].end = end
        if let abandoned { record.requests[abandoned].wasAbandoned = true }
      }
    }
    closeDescriptor()
  }

  // MARK: Requests

  private func parse() {
    while !stopsReading, let event = parser.next() {
      switch event {
      case .head(let method, let target, let fields):
        begin(method, target, fields)
      case .body(let data):
        guard let current else { continue }
        if let taker {
          loop.journal.update { $0.requests[current.index].bodyBytes += data.count }
          let steps = taker.take(data)
          guard !steps.isEmpty else { continue }
          actions.insert(contentsOf: steps, at: actions.startIndex)
          advance()
          if isOver || stopsReading { return }
          continue
        }
        loop.journal.append(data, toBodyOf: current.index)
        if case .echo? = actions.first {
          advance()
          if isOver { return }
        }
      case .complete(let trailers):
        guard let current else { continue }
        isBodyComplete = true
        loop.journal.update { record in
          record.requests[current.index].isComplete = true
          record.requests[current.index].trailers = trailers
        }
        if route?.moment == .body { response() }
        advance()
        if isOver { return }
      case .malformed(let why):
        actions += [.send(MockResponse.head(400, ["Content-Length": "0", "X-Reason": why])), .close]
        hasResponse = true
        return advance()
      }
    }
    loop.journal.wakeSatisfied()
  }

  private func begin(_ method: HTTPMethod, _ target: String, _ fields: HTTPFields) {
    let request = loop.journal.add {
      MockRequest(index: $0, connection: number, method: method, target: target, fields: fields)
    }
    current = request
    isBodyComplete = false
    echoed = 0
    hasResponse = false
    let route = loop.routes.withLock { $0.route(for: request) }
    self.route = route
    if route.moment == .head {
      response()
      advance()
    } else if fields["Expect"].map(ASCII.lowercased) == "100-continue" {
      actions.append(.send(MockResponse.head(100, [:])))
      advance()
    }
  }

  private func response() {
    guard let current, let route else { return }
    let request = loop.journal.request(current.index)
    let response = route.handler(request)
    if case .taken(let taker) = response.content { self.taker = taker }
    actions += response.actions(for: request)
    hasResponse = true
  }

  private func takeEnd(_ taker: any BodyTaker) {
    guard let current else { return }
    let request = loop.journal.request(current.index)
    actions.replaceSubrange(
      actions.startIndex...actions.startIndex, with: taker.end().actions(for: request))
    self.taker = nil
  }

  // MARK: Responses

  private func advance() {
    while !isOver, !isLingering, !isStalled, wakeAt == nil {
      guard flush() else { return }
      guard let action = actions.first else {
        guard current != nil, hasResponse, isBodyComplete else { return }
        current = nil
        parser.beginNext()
        return parse()
      }
      if case .awaitBody = action, !isBodyComplete { return }
      if case .take(let taker) = action {
        guard isBodyComplete else { return }
        takeEnd(taker)
        continue
      }
      if case .echo = action {
        guard sendEcho() else { return }
        continue
      }
      actions.removeFirst()
      carryOut(action)
    }
  }

  /// Prepares the next piece of an echo. Returns false if the body has no more bytes yet.
  private func sendEcho() -> Bool {
    guard let current else { return false }
    let request = loop.journal.request(current.index)
    if request.body.count > echoed {
      output = MockResponse.framedChunk(Data(request.body.dropFirst(echoed)))
      echoed = request.body.count
    } else if isBodyComplete {
      output = MockResponse.lastChunk(request.trailers)
      actions.removeFirst()
    } else {
      return false
    }
    outputOffset = 0
    return true
  }

  private func carryOut(_ action: ServerAction) {
    switch action {
    case .send(let data):
      output = data
      outputOffset = 0
    case .pause(let duration): wakeAt = .now + duration
    case .awaitBody, .echo, .take: break
    case .stopReading: stopsReading = true
    case .stall: isStalled = true
    case .close:
      // The end is recorded after closing, because a test that waits for it may send the next request at once.
      Socket.endSending(descriptor)
      note(.closedByServer)
      isLingering = true
      stopsReading = false
      wakeAt = .now + .seconds(2)
    case .closeUnread:
      note(.closedByServer)
      closeDescriptor()
    case .reset:
      taker?.lost()
      taker = nil
      Socket.reset(descriptor)
      note(.resetByServer)
      isOver = true
    }
  }

  /// Sends the pending output.
  /// - Returns: False if the send buffer is full, or if the connection failed.
  private func flush() -> Bool {
    while outputOffset < output.count {
      let outcome = output.withUnsafeBytes {
        Socket.send(descriptor, UnsafeRawBufferPointer(rebasing: $0[outputOffset...]))
      }
      switch outcome {
      case .bytes(let count):
        outputOffset += count
        loop.journal.update { $0.connections[number - 1].bytesSent += count }
      case .wouldBlock: return false
      case .ended, .failed:
        endedByClient(.resetByClient)
        return false
      }
    }
    output = Data()
    outputOffset = 0
    return true
  }

  private func note(_ end: MockConnection.End) {
    loop.journal.update { $0.connections[number - 1].end = end }
  }

  private func closeDescriptor() {
    guard !isOver else { return }
    taker?.lost()
    taker = nil
    isOver = true
    close(descriptor)
  }
}

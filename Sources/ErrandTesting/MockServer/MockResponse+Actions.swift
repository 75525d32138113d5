import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// One step in sending a response.
enum ServerAction: Sendable {
  case send(Data)
  case pause(Duration)
  case awaitBody
  /// Sends the pieces of the request's body as chunks, and its trailers, until the body has ended.
  case echo
  /// Waits until a taker has the request's body, and then does as its response says.
  case take(any BodyTaker)
  case stopReading
  case stall
  case close
  case closeUnread
  case reset
}

/// Takes the body of a request while it arrives. Used only on the server's thread.
protocol BodyTaker: AnyObject, Sendable {
  /// Takes the next bytes, and returns steps to carry out at once.
  func take(_ piece: Data) -> [ServerAction]
  /// Returns the response, when the whole body has arrived.
  func end() -> MockResponse
  /// Called when the connection ends before the response was sent.
  func lost()
}

extension MockResponse {
  /// Returns the steps of the response, in order. After the last one the connection is ready for its next request.
  func actions(for request: MockRequest) -> [ServerAction] {
    var actions: [ServerAction] = stopsReading ? [.stopReading] : []
    actions += interims.map { .send($0) }
    if awaitsBody { actions.append(.awaitBody) }
    let (head, body) = wire(for: request)
    let cuts = faults.map { (offset: offset(of: $0.point, head: head.count, body: body.count), $0.fault) }
      .sorted { $0.offset < $1.offset }
    var position = 0
    for cut in cuts {
      actions += pieces(head, body, position..<cut.offset)
      position = cut.offset
      switch cut.1 {
      case .pause(let duration): actions.append(.pause(duration))
      case .stall: return actions + [.stall]
      case .close: return actions + [.close]
      case .closeUnread: return actions + [.closeUnread]
      case .reset: return actions + [.reset]
      }
    }
    actions += pieces(head, body, position..<head.count + body.count)
    if case .echo = content { actions.append(.echo) }
    if case .taken(let taker) = content { return actions + [.take(taker)] }
    let asked = request.fields["Connection"].map(ASCII.lowercased) == "close"
    if closes || asked { actions.append(.close) }
    return actions
  }

  private func offset(of point: Point, head: Int, body: Int) -> Int {
    switch point {
    case .start: 0
    case .head(let count): min(count, head)
    case .headEnd: head
    case .body(let count): head + min(count, body)
    case .end: head + body
    }
  }

  /// Returns the steps that send a range of the whole response. If it drips, they send the body in small pieces.
  private func pieces(_ head: Data, _ body: Data, _ range: Range<Int>) -> [ServerAction] {
    var actions: [ServerAction] = []
    let headPart = range.clamped(to: 0..<head.count)
    var bodyPart = range.clamped(to: head.count..<head.count + body.count)
    var first = head.subdata(in: headPart)
    guard let drip else {
      if !bodyPart.isEmpty {
        let part = body.subdata(in: bodyPart.lowerBound - head.count..<bodyPart.upperBound - head.count)
        if first.isEmpty { first = part } else { first += part }
      }
      return first.isEmpty ? [] : [.send(first)]
    }
    if !first.isEmpty { actions.append(.send(first)) }
    while !bodyPart.isEmpty {
      let drop = bodyPart.prefix(drip.bytes)
      actions.append(.send(body.subdata(in: drop.lowerBound - head.count..<drop.upperBound - head.count)))
      actions.append(.pause(drip.interval))
      bodyPart = drop.upperBound..<bodyPart.upperBound
    }
    return actions
  }

  private func wire(for request: MockRequest) -> (head: Data, body: Data) {
    var fields = fields
    let body: Data
    switch content {
    case .raw(let bytes): return (Data(bytes), Data())
    case .taken: return (Data(), Data())
    case .echo:
      fields["Transfer-Encoding"] = "chunked"
      body = Data()
    case .chunked(let framed):
      if !fields.contains("Transfer-Encoding") { fields["Transfer-Encoding"] = "chunked" }
      body = framed
    case .plain(let bytes, let length):
      if let length, status != 204, status != 304, !fields.contains("Content-Length") {
        fields["Content-Length"] = "\(length)"
      }
      body = bytes
    }
    let hasBody = request.method != .head && status != 204 && status != 304
    // A slice of `Data` keeps its original indices, so it is copied.
    return (Self.head(status, fields), hasBody ? (body.startIndex == 0 ? body : Data(body)) : Data())
  }

  static func head(_ status: Int, _ fields: HTTPFields) -> Data {
    let words = HTTPStatus(status).description.split(separator: " ", maxSplits: 1)
    var text = "HTTP/1.1 \(status) \(words.count > 1 ? words[1] : "")\r\n"
    for field in fields { text += "\(field.name): \(field.value)\r\n" }
    return Data((text + "\r\n").utf8)
  }
}

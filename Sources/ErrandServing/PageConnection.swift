package import ErrandCore

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// A complete request to a `PageServer`.
package struct ServedRequest: Sendable {
  package let method: HTTPMethod
  package let target: String
  package let fields: HTTPFields
  package var body = Data()

  package init(method: HTTPMethod, target: String, fields: HTTPFields) {
    (self.method, self.target, self.fields) = (method, target, fields)
  }
}

/// The response of a `PageServer`.
package enum ServedResponse: Sendable {
  case whole(status: Int, fields: HTTPFields, body: Data)
  /// A stream of events (`text/event-stream`): these bytes, followed by everything that is broadcast.
  case events(fields: HTTPFields, first: Data)
}

/// An accepted connection. Only the server's thread uses it.
final class PageConnection {
  /// The most bytes of a request's body. A page may name thousands of stored requests.
  private static let bodyLimit = 1 << 20
  /// The most bytes of events that wait for a reader. A reader that falls further behind is disconnected, and
  /// has to reconnect.
  private static let outputLimit = 32 << 20
  /// How many bytes that were sent stay in memory while others wait.
  private static let sentLimit = 1 << 20

  let descriptor: Int32
  let number: Int
  private(set) var isOver = false
  private(set) var isStream = false
  /// True before the first request and between requests, when the connection can be closed to accept another.
  var isIdle: Bool { !isStream && !awaitsResponse && sent == output.count }
  /// True after a whole request has arrived.
  private(set) var hasAsked = false

  private var parser = RequestParser(headLimit: 64 << 10)
  private var request: ServedRequest?
  private var awaitsResponse = false
  /// True if the request that awaits its response has the method HEAD.
  private var isHead = false
  private var closesAfterOutput = false
  private var output = Data()
  private var sent = 0

  init(_ descriptor: Int32, number: Int) {
    self.descriptor = descriptor
    self.number = number
  }

  var pollEvents: Int16 {
    var events = Int16(isStream || takesRequests ? POLLIN : 0)
    if sent < output.count { events |= Int16(POLLOUT) }
    return events
  }

  /// False while a request waits for its response, or the response for its reader. Reading pauses until then,
  /// so that a client that does not read responses cannot fill the memory.
  private var takesRequests: Bool { !awaitsResponse && output.isEmpty }

  /// Reads and writes. Returns the requests that are complete.
  func handle(_ events: Int16, _ room: UnsafeMutableRawBufferPointer) -> [ServedRequest] {
    if events & Int16(POLLOUT) != 0 { flush() }
    guard !isOver else { return [] }
    if events & Int16(POLLIN | POLLHUP | POLLERR) != 0 {
      switch Socket.receive(descriptor, into: room) {
      case .bytes(let count):
        // Bytes from a reader of events are ignored.
        if !isStream { parser.append(UnsafeRawBufferPointer(rebasing: room[..<count])) }
      case .wouldBlock: break
      case .ended, .failed:
        shut()
        return []
      }
    }
    return parse()
  }

  /// Sends a response. Returns the requests that have arrived meanwhile.
  func respond(_ response: ServedResponse) -> [ServedRequest] {
    guard !isOver, awaitsResponse else { return [] }
    switch response {
    case .whole(let status, var fields, let body):
      fields.set("Content-Length", "\(body.count)")
      // A server that announces the end ends the connection, too (RFC 9112, section 9.6).
      if parser.endsConnection || fields.endConnection {
        fields.set("Connection", "close")
        closesAfterOutput = true
      }
      // The client would take the body for the next response (RFC 9110, section 9.3.2).
      write(Self.head(status, fields) + (isHead ? Data() : body))
      guard !closesAfterOutput else { return [] }
      awaitsResponse = false
      parser.beginNext()
      return parse()
    case .events(let fields, let first):
      isStream = true
      send(Self.head(200, fields) + first)
      return []
    }
  }

  /// Sends events.
  func send(_ data: Data) {
    guard output.count - sent + data.count <= Self.outputLimit else { return shut() }
    write(data)
  }

  private func write(_ data: Data) {
    output.append(data)
    flush()
  }

  func shut() {
    guard !isOver else { return }
    isOver = true
    isStream = false
    close(descriptor)
  }

  private func parse() -> [ServedRequest] {
    var requests: [ServedRequest] = []
    while !isOver, takesRequests, let event = parser.next() {
      switch event {
      case .head(let method, let target, let fields):
        request = ServedRequest(method: method, target: target, fields: fields)
      case .body(let data):
        request?.body.append(data)
        if (request?.body.count ?? 0) > Self.bodyLimit { refuse(413) }
      case .complete:
        if let request { requests.append(request) }
        isHead = request?.method == .head
        (request, awaitsResponse, hasAsked) = (nil, true, true)
      case .malformed: refuse(400)
      }
    }
    return requests
  }

  private func refuse(_ status: Int) {
    closesAfterOutput = true
    write(Self.head(status, ["Content-Length": "0", "Connection": "close"]))
  }

  private func flush() {
    while sent < output.count {
      let outcome = output.withUnsafeBytes {
        Socket.send(descriptor, UnsafeRawBufferPointer(rebasing: $0[sent...]))
      }
      switch outcome {
      case .bytes(let count): sent += count
      case .wouldBlock:
        // A reader that stays a little behind may never have read everything.
        if sent >= Self.sentLimit { (output, sent) = (Data(output[sent...]), 0) }
        return
      case .ended, .failed: return shut()
      }
    }
    (output, sent) = (Data(), 0)
    if closesAfterOutput { shut() }
  }

  private static func head(_ status: Int, _ fields: HTTPFields) -> Data {
    let lines = fields.map { "\($0.name): \($0.value)\r\n" }.joined()
    return Data("HTTP/1.1 \(HTTPStatus(status))\r\n\(lines)\r\n".utf8)
  }
}

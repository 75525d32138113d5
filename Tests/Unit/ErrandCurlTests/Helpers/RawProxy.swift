import ErrandServing

#if os(Linux)
  import ErrandCore
  import Foundation

  @testable import ErrandTesting

  /// A proxy on 127.0.0.1 that records the bytes of its requests, and reacts as scripted.
  final class RawProxy: Sendable {
    /// A request as it was sent: the head with its line ends, and the body as it was transferred.
    struct Asked: Sendable {
      let head: String
      let body: String

      var method: String { String(head.prefix { $0 != " " }) }
      var target: String { String(head.split(separator: " ")[1]) }

      /// Returns the value of a field, or nil.
      func field(_ name: String) -> String? {
        head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("\(name.lowercased()): ") }
          .map { String($0.dropFirst(name.count + 2)) }
      }
    }

    enum Reply: Sendable {
      /// These bytes; the connection stays open.
      case bytes(String)
      /// A tunnel to this port of 127.0.0.1, after a 200 with these lines.
      case tunnel(Int, fields: String = "Via: 1.1 raw\r\n")
      /// The end of the connection.
      case close
    }

    let port: Int
    private let listener: Int32
    private let reply: @Sendable (Asked) -> Reply
    private let log = Locked([Asked]())

    var asked: [Asked] { log.withLock { $0 } }

    init(_ reply: @escaping @Sendable (Asked) -> Reply) throws {
      self.reply = reply
      listener = try Socket.make()
      try Socket.bind(listener, port: 0)
      guard listen(listener, 64) == 0 else { throw POSIXError(.EADDRINUSE) }
      port = Socket.port(of: listener)
      Thread.detachNewThread { [self] in accept() }
    }

    func stop() { shutdown(listener, Int32(SHUT_RDWR)) }

    private func accept() {
      while true {
        let client = Glibc.accept(listener, nil, nil)
        guard client >= 0 else { break }
        _ = fcntl(client, F_SETFD, FD_CLOEXEC)
        Thread.detachNewThread { [self] in
          serve(client)
          close(client)
        }
      }
      close(listener)
    }

    private func serve(_ client: Int32) {
      var bytes = [UInt8]()
      while let asked = request(from: client, &bytes) {
        log.withLock { $0.append(asked) }
        switch reply(asked) {
        case .bytes(let text): Self.send(Array(text.utf8), to: client)
        case .close: return
        case .tunnel(let port, let fields):
          guard let server = try? Socket.make() else { return }
          Socket.beginConnecting(server, port: port)
          var ready = pollfd(fd: server, events: Int16(POLLOUT), revents: 0)
          poll(&ready, 1, 10_000)
          _ = fcntl(server, F_SETFL, fcntl(server, F_GETFL, 0) & ~O_NONBLOCK)
          Self.send(Array("HTTP/1.1 200 Connected\r\n\(fields)\r\n".utf8), to: client)
          // No thread may use a closed descriptor, because its number may belong to another socket by then.
          let isOver = DispatchSemaphore(value: 0)
          Thread.detachNewThread {
            Self.move(from: server, to: client)
            isOver.signal()
          }
          Self.move(from: client, to: server)
          isOver.wait()
          close(server)
          return
        }
      }
    }

    /// Reads a request, with its body if its length is announced or if it is chunked.
    private func request(from client: Int32, _ bytes: inout [UInt8]) -> Asked? {
      let end = Data("\r\n\r\n".utf8)
      var room = [UInt8](repeating: 0, count: 64 << 10)
      func more() -> Bool {
        let count = recv(client, &room, room.count, 0)
        if count > 0 { bytes += room[..<count] }
        return count > 0
      }
      var found = Data(bytes).firstRange(of: end)
      while found == nil {
        guard more() else { return nil }
        found = Data(bytes).firstRange(of: end)
      }
      guard let found else { return nil }
      let head = Asked(head: String(decoding: bytes[..<found.upperBound], as: UTF8.self), body: "")
      bytes.removeFirst(found.upperBound)
      let body: [UInt8]
      if head.field("Transfer-Encoding") == "chunked" {
        let last = Data("0\r\n\r\n".utf8)
        while Data(bytes).firstRange(of: last) == nil { guard more() else { return nil } }
        body = bytes
        bytes = []
      } else {
        let length = head.field("Content-Length").flatMap(Int.init) ?? 0
        while bytes.count < length { guard more() else { return nil } }
        body = Array(bytes.prefix(length))
        bytes.removeFirst(length)
      }
      return Asked(head: head.head, body: String(decoding: body, as: UTF8.self))
    }

    private static func send(_ bytes: [UInt8], to sink: Int32) {
      var sent = 0
      while sent < bytes.count {
        let count = bytes[sent...].withUnsafeBytes {
          Glibc.send(sink, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
        guard count > 0 else { return }
        sent += count
      }
    }

    private static func move(from source: Int32, to sink: Int32) {
      var room = [UInt8](repeating: 0, count: 64 << 10)
      while case let count = recv(source, &room, room.count, 0), count > 0 {
        send(Array(room[..<count]), to: sink)
      }
      shutdown(sink, Int32(SHUT_WR))
    }
  }

  extension RawProxy.Reply {
    static func response(_ status: String, _ fields: [String] = [], body: String = "") -> Self {
      .bytes(
        "HTTP/1.1 \(status)\r\nContent-Length: \(body.utf8.count)\r\n"
          + fields.map { "\($0)\r\n" }.joined() + "\r\n\(body)")
    }
  }
#endif

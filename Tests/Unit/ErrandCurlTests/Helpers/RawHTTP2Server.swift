import Foundation

/// An HTTP/2 server in Python, without TLS unless it gets a certificate, that treats each stream as scripted, frame by frame.
///
/// The body of each complete response is the number of requests that the server has received on all of its
/// connections.
enum RawHTTP2Server {
  /// A treatment of a request by the server.
  enum Course: String, CaseIterable {
    /// The whole response, then RST_STREAM(NO_ERROR), before the body is read.
    case wholeThenReset
    /// The same for a response without an announced length.
    case wholeWithoutLengthThenReset
    /// The same with a 401.
    case refusalThenReset
    /// REFUSED_STREAM for the first two requests.
    case refuses
    /// REFUSED_STREAM for each request.
    case alwaysRefuses
    /// GOAWAY on the first connection, with the request above its last stream.
    case goesAway
    /// GOAWAY on the first connection, with its first request above the last stream, and on the second one before
    /// any request. A request with HTTP/1 is answered when that is done.
    case goesAwayTwice
    /// A part of the announced body, then RST_STREAM(NO_ERROR).
    case cut
    /// The end of the connection in the middle of a response.
    case closes
    /// The end of the connection after the first request, without a response.
    case endsFirst
    /// HTTP_1_1_REQUIRED.
    case wantsHTTP1
    /// The frames of the request's body, each at once, and the trailers `x-sum: 1`, `content-type: a` and
    /// `x-sum: 2` at its end.
    case echoes
    /// The whole response, before the body is read.
    case whole
  }

  /// - Parameter certificate: The path of the server's certificate and key, without `.pem` and `.key`.
  static func script(_ course: Course, certificate: String = "") -> String {
    program.replacingOccurrences(of: "COURSE", with: course.rawValue)
      .replacingOccurrences(of: "CERTIFICATE", with: certificate)
  }

  private static let program = #"""
    import socket, ssl, struct, threading
    course, certificate = "COURSE", "CERTIFICATE"
    if certificate:
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(certificate + ".pem", certificate + ".key")
        context.set_alpn_protocols(["h2", "http/1.1"])
        # With TLS 1.3, the client would first read a ticket.
        context.maximum_version = ssl.TLSVersion.TLSv1_2
    listener = socket.create_server(("127.0.0.1", 0), backlog=64)
    print(listener.getsockname()[1], flush=True)
    seen, connections, lock = 0, 0, threading.Lock()
    gone = threading.Event()

    def frame(kind, flags, stream, payload=b""):
        return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload

    def literal(name, value): return bytes([0, len(name)]) + name + bytes([len(value)]) + value
    trailers = literal(b"x-sum", b"1") + literal(b"content-type", b"a") + literal(b"x-sum", b"2")

    def head(status, length):
        fields = b"\x08\x03" + str(status).encode()
        if length is not None:
            text = str(length).encode()
            fields += b"\x0f\x0d" + bytes([len(text)]) + text
        return fields

    def whole(stream, status, body, announces=True):
        return frame(1, 4, stream, head(status, len(body) if announces else None)) + frame(0, 1, stream, body)

    def reset(stream, code):
        return frame(3, 0, stream, struct.pack(">I", code))

    def respond(client, stream, number, connection, of_connection):
        body = str(number).encode()
        if course == "wholeThenReset": client.sendall(whole(stream, 200, body) + reset(stream, 0))
        elif course == "wholeWithoutLengthThenReset": client.sendall(whole(stream, 200, body, False) + reset(stream, 0))
        elif course == "refusalThenReset": client.sendall(whole(stream, 401, body) + reset(stream, 0))
        elif course == "alwaysRefuses" or (course == "refuses" and number < 3):
            client.sendall(reset(stream, 7))
        elif course == "goesAway" and connection == 1 and of_connection > 1:
            client.sendall(frame(7, 0, 0, struct.pack(">II", stream - 2, 0)))
        elif course == "goesAwayTwice" and connection <= 2:
            client.sendall(frame(7, 0, 0, struct.pack(">II", 0, 0)))
        elif course == "cut":
            client.sendall(frame(1, 4, stream, head(200, 100)) + frame(0, 0, stream, body) + reset(stream, 0))
        elif course == "closes":
            client.sendall(frame(1, 4, stream, head(200, None)) + frame(0, 0, stream, body))
            client.shutdown(socket.SHUT_RDWR)
        elif course == "endsFirst" and number == 1: client.shutdown(socket.SHUT_RDWR)
        elif course == "echoes": client.sendall(frame(1, 4, stream, head(200, None)))
        elif course == "whole": client.sendall(whole(stream, 200, body))
        elif course == "wantsHTTP1": client.sendall(reset(stream, 13))
        else: client.sendall(whole(stream, 200, body))

    def serve(client):
        global seen, connections
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if certificate: client = context.wrap_socket(client, server_side=True)
        with lock:
            connections += 1
            connection = connections
        source = client.makefile("rb")
        if course == "goesAwayTwice" and connection == 2:
            client.sendall(frame(4, 0, 0) + frame(7, 0, 0, struct.pack(">II", 0, 0)))
            gone.set()
        if source.read(24)[:5] == b"PRI *": client.sendall(frame(4, 0, 0))
        elif course == "goesAwayTwice":
            gone.wait()
            return client.sendall(b"HTTP/1.1 204 No Content\r\n\r\n")
        count = 0
        while True:
            start = source.read(9)
            if len(start) < 9: return client.close()
            length, kind, flags = int.from_bytes(start[:3], "big"), start[3], start[4]
            stream = int.from_bytes(start[5:], "big") & 0x7fffffff
            payload = source.read(length)
            if kind == 4 and not flags & 1: client.sendall(frame(4, 1, 0))
            if kind == 6 and not flags & 1: client.sendall(frame(6, 1, 0, b"\0" * 8))
            if kind == 0 and course == "echoes":
                client.sendall(frame(0, 0, stream, payload))
                if flags & 1: client.sendall(frame(1, 5, stream, trailers))
            if kind == 1:
                with lock:
                    seen += 1
                    number = seen
                count += 1
                try: respond(client, stream, number, connection, count)
                except OSError: return

    while True:
        threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()
    """#
}

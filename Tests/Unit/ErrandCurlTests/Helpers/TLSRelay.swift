import ErrandCore
import Foundation
import Programs

/// Accepts TLS on a port of 127.0.0.1, and relays the decrypted bytes to another port.
final class TLSRelay: Sendable {
  enum ClientCertificates: String {
    case ignored = "NONE"
    case wanted = "OPTIONAL"
    case required = "REQUIRED"
  }

  let port: Int
  private let program: Program
  private let output: FileHandle
  private let log = Locked("")
  private let lines: AsyncStream<String>

  /// - Parameter name: The name of the relay's certificate.
  init(
    to target: Int, _ name: String, of certificates: Certificates, clients: ClientCertificates = .ignored
  ) async throws {
    guard let path = Program.path(of: "python3") else {
      throw Program.Failure(description: "python3 is not installed")
    }
    let pipe = Pipe()
    let (writing, reading) = (pipe.fileHandleForWriting, pipe.fileHandleForReading)
    for end in [writing, reading] { _ = fcntl(end.fileDescriptor, F_SETFD, FD_CLOEXEC) }
    program = try Program(
      path,
      [
        "-c", Self.script, "\(target)", certificates.path("\(name).pem"), certificates.path("\(name).key"),
        certificates.authority, clients.rawValue,
      ], output: writing.fileDescriptor)
    try writing.close()
    let (lines, source) = AsyncStream<String>.makeStream()
    reading.readabilityHandler = { handle in
      let data = handle.availableData
      if data.isEmpty { source.finish() } else { source.yield(String(decoding: data, as: UTF8.self)) }
    }
    (output, self.lines) = (reading, lines)
    var text = ""
    for await piece in lines {
      text += piece
      if text.contains("\n") { break }
    }
    guard let port = text.split(separator: "\n").first.flatMap({ Int($0) }) else {
      throw Program.Failure(description: "the relay has no port: \(text)")
    }
    self.port = port
    log.withLock { $0 = String(text.drop { $0 != "\n" }.dropFirst()) }
  }

  deinit {
    output.readabilityHandler = nil
    program.send(SIGKILL)
  }

  /// Waits for `count` handshakes; returns a line for each: the client's common name, `-` for a client
  /// without a certificate, or `failed`.
  func handshakes(_ count: Int) async -> [String] {
    func all() -> [String] {
      log.withLock { $0 }.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
    }
    if all().count >= count { return all() }
    for await piece in lines {
      log.withLock { $0 += piece }
      if all().count >= count { break }
    }
    return all()
  }

  private static let script = """
    import select, socket, ssl, sys, threading
    target, cert, key, authority, clients = sys.argv[1:]
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(cert, key)
    context.load_verify_locations(authority)
    context.verify_mode = getattr(ssl, "CERT_" + clients)
    listener = socket.create_server(("127.0.0.1", 0))
    print(listener.getsockname()[1], flush=True)

    # On one thread: a TLS connection must not be read on one and written on another.
    def move(client, server):
        sources = {client, server}
        while sources:
            if client in sources and client.pending():
                ready = [client]
            else:
                ready = select.select(list(sources), [], [])[0]
            for source in ready:
                sink = server if source is client else client
                try:
                    source.settimeout(0)
                    data = source.recv(65536)
                except (BlockingIOError, ssl.SSLWantReadError):
                    continue
                except OSError:
                    data = b""
                finally:
                    source.settimeout(20)
                try:
                    sink.sendall(data) if data else sink.shutdown(socket.SHUT_WR)
                except OSError:
                    data = b""
                if not data:
                    sources.discard(source)

    def serve(client):
        client = context.wrap_socket(client, server_side=True, do_handshake_on_connect=False)
        try:
            client.do_handshake()
        except (OSError, ssl.SSLError):
            print("failed", flush=True)
            # Closing a socket that has something to read would take the alert back.
            client = socket.socket(fileno=client.detach())
            client.shutdown(socket.SHUT_WR)
            while client.recv(65536):
                pass
            return
        names = dict(part[0] for part in (client.getpeercert() or {}).get("subject", ()))
        print(names.get("commonName", "-"), flush=True)
        server = socket.create_connection(("127.0.0.1", int(target)))
        move(client, server)
        client.close()
        server.close()

    while True:
        threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()
    """
}

import ErrandCore
import Foundation
import TestSupport
import Testing

@testable import ErrandCurl

/// The meaning of a TLS connection's early end for the request, and for a response that lasts until the end
/// of the connection.
@Suite(.timeLimit(.minutes(1))) final class TLSEndTests {
  private let folder: TemporaryFolder
  private let certificates: Certificates
  private let client: Client

  init() async throws {
    folder = try TemporaryFolder()
    certificates = try await Certificates(in: folder)
    var curl = CurlConfiguration()
    curl.certificateAuthorityFile = certificates.authority
    client = Client(transport: CurlTransport(configuration: curl))
  }

  @Test func `libcurl's own index in OpenSSL's connections is not used`() {
    // OpenSSL reserves the first index for applications, and libcurl is one.
    #expect(CurlEngine.tlsPlace != 0)
  }

  /// - Parameter course: The event after the response, or during the handshake.
  private func server(_ course: String, _ response: String = "") async throws -> String {
    let server = try await PythonServer(
      """
      import socket, ssl, threading
      context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
      context.load_cert_chain("\(certificates.path("good.pem"))", "\(certificates.path("good.key"))")
      listener = socket.create_server(("127.0.0.1", 0), backlog=64)
      print(listener.getsockname()[1], flush=True)
      course, count, refused = "\(course)", 0, []
      if course == "wants a certificate":
          context.verify_mode = ssl.CERT_REQUIRED
          context.load_verify_locations("\(certificates.authority)")
      def serve(plain):
          client = context.wrap_socket(plain, server_side=True, do_handshake_on_connect=False)
          try: client.do_handshake()
          except ssl.SSLError:
              client.shutdown(socket.SHUT_RDWR)
              return refused.append(client)
          while b"\\r\\n\\r\\n" not in client.recv(65536): pass
          client.sendall(\(response.debugDescription).encode())
          if course == "ends": client.unwrap()
          plain = socket.socket(fileno=client.detach())
          plain.shutdown(socket.SHUT_WR)
          plain.close()
      while True:
          plain = listener.accept()[0]
          count += 1
          if course == "cuts the handshake" and count < 3:
              plain.recv(10)
              plain.close()
          else: threading.Thread(target=serve, args=(plain,), daemon=True).start()
      """)
    servers.withLock { $0.append(server) }
    return "https://127.0.0.1:\(server.port)/"
  }

  private let servers = Locked<[PythonServer]>([])

  @Test
  func `a server that requires a certificate is named as such, even if it closed before the request arrived`()
    async throws
  {
    let url = try await server("wants a certificate")
    // With TLS 1.3 the server notices the missing certificate when the client already sends its request.
    for _ in 1...30 {
      let error = await #expect(throws: RequestError.self) { try await client.send(.get(url).bestEffort()) }
      #expect(error?.code == .tlsFailed)
      #expect(error?.message.contains("wants a client certificate") == true, "\(error?.message ?? "")")
    }
  }

  @Test func `a response that ends with the connection is complete if TLS was closed properly`() async throws
  {
    let url = try await server("ends", "HTTP/1.1 200 OK\r\n\r\nwhole")
    #expect(try await client.send(.get(url).bestEffort()).text == "whole")
  }

  @Test func `a response that ends with the connection may be incomplete if TLS was not closed properly`()
    async throws
  {
    let url = try await server("closes", "HTTP/1.1 200 OK\r\n\r\npart")
    let error = await #expect(throws: RequestError.self) { try await client.send(.get(url).bestEffort()) }
    #expect(error?.code == .connectionLost)
    #expect(error?.reachedServer == true)
    let file = folder.file("download")
    await #expect(throws: RequestError.self) {
      try await client.download(.get(url).bestEffort(), to: file)
    }
    #expect(!FileManager.default.fileExists(atPath: file.path))
  }

  @Test(arguments: [
    "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nwhole",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nwhole\r\n0\r\n\r\n",
  ])
  func `a response with a length, or in chunks, does not need a proper end of TLS`(response: String)
    async throws
  {
    let url = try await server("closes", response)
    for _ in 0..<3 { #expect(try await client.send(.get(url)).text == "whole") }
  }

  @Test func `an interrupted handshake is a lost connection, and is retried`() async throws {
    let url = try await server("cuts the handshake", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nwhole")
    let error = await #expect(throws: RequestError.self) {
      try await client.send(.post(url, .text("body")).bestEffort())
    }
    #expect(error?.code == .connectionLost)
    #expect(error?.reachedServer == false)
    let response = try await client.send(.post(url, .text("body")))
    #expect(response.text == "whole")
    #expect(response.timing.attempts == 2)
  }
}

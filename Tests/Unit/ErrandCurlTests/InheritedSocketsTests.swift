#if os(Linux)
  import ErrandCore
  import ErrandCurl
  import ErrandTesting
  import Foundation
  import TestSupport
  import Testing

  @Suite("Descriptors and other programs", .timeLimit(.minutes(1))) struct InheritedSocketsTests {
    @Test func `a program that is started meanwhile inherits no descriptor of a transport or a server`()
      async throws
    {
      let server = try MockServer()
      server.on("/") { _ in .response(body: "kept") }
      let client = Client(transport: CurlTransport())
      _ = try await client.send(.get("http://127.0.0.1:\(server.port)/"))
      // Both ends of the connection, and the listener.
      let inodes = try SocketTable.inodes(ofPort: server.port)
      #expect(inodes.count >= 3)

      let child = try spawnSleeper()
      defer {
        kill(child, SIGKILL)
        waitpid(child, nil, 0)
      }
      let inherited = Descriptors.links(of: "\(child)").values
      for inode in inodes { #expect(!inherited.contains("socket:[\(inode)]")) }
      #expect(!inherited.contains("anon_inode:[eventpoll]"))
      #expect(!inherited.contains("anon_inode:[eventfd]"))
      await client.shutdown()
    }

    @Test func `a closed connection is no longer watched, even if another process holds it`()
      async throws
    {
      let server = try MockServer()
      server.on("/") { _ in .stall }
      let client = Client(transport: CurlTransport())
      let waiting = Task {
        try await client.send(.get("http://127.0.0.1:\(server.port)/").timeout(.seconds(50)))
      }
      try await server.waitForRequests(1)
      let clients = try SocketTable.clients(ofPort: server.port)
      let ours = try #require(
        Descriptors.links(of: "self").first { clients.contains($0.value) })
      // The copy stands for a process that has inherited the socket.
      let copy = fcntl(ours.key, F_DUPFD_CLOEXEC, 0)
      defer { close(copy) }
      waiting.cancel()
      await #expect(throws: RequestError.self) { _ = try await waiting.value }
      try await waitUntil { Descriptors.links(of: "self")[ours.key] != ours.value }
      #expect(Descriptors.watched(inode: ours.value) == 0)
    }

    @Test func `a transport that was made without a free file descriptor works when there are some again`()
      async throws
    {
      // In another process, because the limit holds for all of its threads.
      await #expect(processExitsWith: .success) {
        let server = try MockServer()
        server.on("/") { _ in .response(body: "here") }
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        var none = limit
        none.rlim_cur = 0
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &none)
        let client = Client(transport: CurlTransport())
        let request = Request.get("http://127.0.0.1:\(server.port)/").retry(.never)
        let failure = await #expect(throws: RequestError.self) { _ = try await client.send(request) }
        #expect(failure?.code == .cannotConnect)
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        #expect(try await client.send(request).text == "here")
      }
    }

    /// Starts a program that inherits the descriptors that are not closed on exec.
    private func spawnSleeper() throws -> pid_t {
      var child = pid_t()
      var arguments: [UnsafeMutablePointer<CChar>?] = [strdup("sleep"), strdup("60"), nil]
      defer { for argument in arguments { free(argument) } }
      let code = posix_spawnp(&child, "sleep", nil, nil, &arguments, environ)
      try #require(code == 0)
      return child
    }
  }

  /// Reads from the kernel what descriptors refer to.
  private enum Descriptors {
    /// Returns a description of each descriptor of a process, by its number.
    static func links(of process: String) -> [Int32: String] {
      let folder = "/proc/\(process)/fd"
      let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
      var links: [Int32: String] = [:]
      for name in names {
        guard let number = Int32(name) else { continue }
        links[number] = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(name)")
      }
      return links
    }

    /// Returns the number of this process's epolls that watch this socket.
    static func watched(inode link: String) -> Int {
      let digits = link.filter(\.isNumber)
      let mark = "ino:\(String(Int(digits) ?? -1, radix: 16)) "
      return links(of: "self").filter { $0.value == "anon_inode:[eventpoll]" }.keys.reduce(0) { sum, number in
        let file = FileHandle(forReadingAtPath: "/proc/self/fdinfo/\(number)")
        let text = String(decoding: (try? file?.readToEnd()) ?? Data(), as: UTF8.self)
        return sum + text.split(separator: "\n").count { $0.contains(mark) }
      }
    }
  }

  extension SocketTable {
    /// Returns the inodes of the sockets that have this port of 127.0.0.1 at either end.
    static func inodes(ofPort port: Int) throws -> Set<String> {
      Set(try rows().filter { $0.local == port || $0.remote == port }.map(\.inode).filter { $0 != "0" })
    }

    /// Returns the sockets that are connected to this port, named as in the links of descriptors.
    static func clients(ofPort port: Int) throws -> Set<String> {
      Set(try rows().filter { $0.remote == port }.map { "socket:[\($0.inode)]" })
    }

    private static func rows() throws -> [(local: Int, remote: Int, inode: String)] {
      let file = try FileHandle(forReadingFrom: URL(filePath: "/proc/net/tcp"))
      defer { try? file.close() }
      let lines = String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self).split(separator: "\n")
      return lines.compactMap { line in
        let columns = line.split(separator: " ")
        guard columns.count > 9, let local = port(columns[1]), let remote = port(columns[2]) else {
          return nil
        }
        return (local, remote, String(columns[9]))
      }
    }

    private static func port(_ address: Substring) -> Int? {
      address.split(separator: ":").last.flatMap { Int($0, radix: 16) }
    }
  }
#endif

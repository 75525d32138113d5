import ErrandCore
import Foundation
import TestSupport
import Testing

/// The authorities that a process trusts if its file system has other system authorities.
@Suite(.timeLimit(.minutes(1))) struct PrivateAuthorityTests {
  @Test(.enabled { try await OwnFileSystem.isAllowed() })
  func `a custom authority replaces the system's, whether they are in a file or a folder`()
    async throws
  {
    try await TemporaryFolder.using { folder in
      let script = """
        set -e
        for ca in system own; do
          openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 30 -subj "/CN=$ca" \
            -keyout $ca.key -out $ca.pem 2>/dev/null
        done
        openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=localhost \
          -keyout server.key -out server.csr 2>/dev/null
        printf 'subjectAltName=DNS:localhost' > server.ext
        openssl x509 -req -in server.csr -CA system.pem -CAkey system.key -CAcreateserial -days 30 \
          -extfile server.ext -out server.pem 2>/dev/null
        mkdir certs
        cp system.pem certs/$(openssl x509 -in system.pem -noout -hash).0
        cat server.key server.pem > both.pem
        """
      #expect(try await Tool.shell(script, in: folder).code == 0)
      let server = try Running(
        "/bin/sh", ["-c", "exec openssl s_server -accept 0 -cert both.pem -www"], in: folder)
      defer { server.send(SIGKILL) }
      let port = try await server.number(after: "ACCEPT [::]:")
      func get(_ options: String, inFile: Bool) async throws -> Tool.Result {
        let file = inFile ? "cp system.pem certs/ca-certificates.crt" : "rm -f certs/ca-certificates.crt"
        return try await Tool.shell(
          "\(file); \(OwnFileSystem.command) sh -c 'mount --bind certs /etc/ssl/certs && "
            + "exec \(Tool.path) get https://localhost:\(port)/ \(options)'", in: folder)
      }
      for inFile in [true, false] {
        let trusted = try await get("", inFile: inFile)
        #expect(trusted.code == 0, "\(trusted.error)")
        let refused = try await get("--cacert own.pem", inFile: inFile)
        #expect(refused.code != 0)
        #expect(refused.error.contains("certificate is not trusted"), "\(refused.error)")
      }
    }
  }
}

/// Gives a command a separate mount namespace: as root, or as the root of a user namespace.
private enum OwnFileSystem {
  static let command = geteuid() == 0 ? "unshare -m" : "unshare -rm"

  static func isAllowed() async throws -> Bool { try await Tool.shell("\(command) true").code == 0 }
}

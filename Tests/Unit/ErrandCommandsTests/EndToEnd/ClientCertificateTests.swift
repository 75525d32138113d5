import ErrandCore
import ErrandTesting
import Foundation
import TestSupport
import Testing

/// The certificate and the pins on a command line, with a server that requires a certificate.
@Suite(.timeLimit(.minutes(1))) struct ClientCertificateTests {
  private static let script = """
    set -e
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 30 -subj /CN=ca \
      -keyout ca.key -out ca.pem 2>/dev/null
    for name in localhost me; do
      openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=$name \
        -keyout $name.key -out $name.csr 2>/dev/null
      printf "subjectAltName=DNS:$name" > ext
      openssl x509 -req -in $name.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 30 -extfile ext \
        -out $name.pem 2>/dev/null
    done
    cat localhost.key localhost.pem > both.pem
    openssl pkcs12 -export -in me.pem -inkey me.key -out me.p12 -passout pass:s3cret
    echo s3cret > password
    openssl x509 -in localhost.pem -noout -pubkey | openssl pkey -pubin -outform der \
      | openssl dgst -sha256 -binary | openssl base64 > pin
    """

  @Test func `a certificate is sent, a key is compared, and trouble with either has its exit code`()
    async throws
  {
    try await TemporaryFolder.using { folder in
      #expect(try await Tool.shell(Self.script, in: folder).code == 0)
      let server = try Running(
        "/bin/sh",
        [
          "-c",
          "exec openssl s_server -accept 0 -cert both.pem -www -Verify 1 -verify_return_error -CAfile ca.pem",
        ],
        in: folder)
      defer { server.send(SIGKILL) }
      let port = try await server.number(after: "ACCEPT [::]:")
      func get(_ options: String) async throws -> Tool.Result {
        try await Tool.shell("$errand get https://localhost:\(port)/ --cacert ca.pem \(options)", in: folder)
      }
      for options in [
        "--cert me.pem --key me.key", "--cert me.p12 --key-password @password",
        "--cert me.p12:s3cret --tls-min 1.3",
        "--cert me.p12:s3cret --pin localhost=sha256/$(cat pin)", "--cert me.p12:s3cret --pin $(cat pin)",
        // Each file may be read from a pipe, once.
        "--cert /dev/stdin:s3cret < me.p12", "--cert me.pem --key pipe", "--cert pipe --key me.key",
        "--cert me.p12 --key-password @pipe", "--cert me.p12:s3cret --cacert pipe",
      ] {
        let piped = [
          "--key pipe": "me.key", "--cert pipe": "me.pem", "@pipe": "password", "--cacert pipe": "ca.pem",
        ].first { options.contains($0.key) }
        if let file = piped?.value {
          let writer = "rm -f pipe; mkfifo pipe; cat \(file) > pipe &"
          let result = try await Tool.shell(
            "\(writer) $errand get https://localhost:\(port)/ --cacert ca.pem \(options)", in: folder)
          #expect(result.code == 0, "\(options): \(result.error)")
          continue
        }
        let result = try await get(options)
        #expect(result.code == 0, "\(options): \(result.error)")
      }
      let digest = Data(count: 32).base64EncodedString()
      for (options, code, reason) in [
        ("", 3, "wants a client certificate"), ("--cert me.p12:wr0ng", 2, "is wrong"),
        ("--cert me.p12 --key-password @none", 6, "none"),
        ("--cert me.p12 --key-password @me.pem", 2, "is wrong"),
        ("--cert me.p12:s3cret --key-password @password", 2, "both give the password"),
        ("--cert none.p12", 2, "cannot be read"),
        ("--cert me.pem --key localhost.key", 2, "does not belong to"),
        ("--cert me.p12:s3cret --pin localhost=sha256/\(digest)", 3, "public key of localhost is sha256/"),
      ] as [(String, Int32, String)] {
        let result = try await get(options)
        #expect(
          result.code == code && result.error.contains(reason), "\(options): \(result.code) \(result.error)")
        #expect(!result.error.contains("wr0ng") && !result.error.contains("s3cret"))
      }
    }
  }

  @Test func `a proxy is sent its user, and one that requires another ends the command with a hint`()
    async throws
  {
    let proxy = try MockServer()
    proxy.otherwise {
      $0.fields["Proxy-Authorization"] == "Basic \(Data("ann:s3cret".utf8).base64EncodedString())"
        ? .response(body: "by proxy") : .response(status: 407)
    }
    let get = "unset no_proxy; http_proxy=http://127.0.0.1:\(proxy.port) $errand get http://a.invalid/"
    #expect(try await Tool.shell("\(get) --proxy-user ann:s3cret").text == "by proxy")
    let refused = try await Tool.shell("\(get) --proxy-user ann:wr0ng --retry 3")
    #expect(refused.code == 3)
    #expect(refused.error.contains("--proxy-user USER:PASSWORD") && !refused.error.contains("wr0ng"))
    #expect(proxy.requests.count == 2)
  }
}

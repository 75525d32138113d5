import ErrandAuthentication
import ErrandCore
import ErrandCurl
import Testing

@testable import ErrandCommands

@Suite struct InvocationTests {
  private func transfer(_ arguments: String...) throws -> Transfer {
    guard case .transfer(let transfer) = try Invocation(arguments) else {
      throw UsageError("it is not a transfer")
    }
    return transfer
  }

  @Test(arguments: [
    "http://a", "localhost", "localhost:8080/x", "[::1]/x", "example.com", "example.com/x?y", "ftp://a",
    "a/b",
  ])
  func `a URL without a command is sent as a GET request`(_ url: String) throws {
    #expect(try transfer(url, "-i") == transfer("get", url, "-i"))
    #expect(try transfer("-i", url) == transfer("get", url, "-i"))
    #expect(try transfer("-d", "x", url) == transfer("post", url, "-d", "x"))
  }

  @Test(arguments: ["gets", "./x", "/x", "?a", "mailto:a@b", "localhost:"])
  func `a word without a host in place of a command is an unknown command`(_ name: String) {
    #expect(throws: UsageError.self) { try transfer(name) }
  }

  @Test(arguments: ["get", "head", "delete", "post", "put", "patch"])
  func `each method is a command`(_ name: String) throws {
    let transfer = try transfer(name, "http://a")
    #expect(transfer.method == HTTPMethod(name.uppercased()))
    #expect(transfer.url == "http://a")
    #expect(transfer.showsHead == (name == "head"))
  }

  @Test func `send accepts any method`() throws {
    #expect(try transfer("send", "PURGE", "u").method == "PURGE")
    #expect(throws: UsageError.self) { try transfer("send", "NO SUCH", "u") }
  }

  @Test func `every option is parsed`() throws {
    let pin = String(repeating: "A", count: 43) + "="
    let transfer = try transfer(
      "post", "http://a", "-H", "A: b", "-q", "x=1=2", "-d", "hi", "--timeout", "10s", "--deadline=1m",
      "--connect-timeout", "2s", "--retry", "3", "--compress", "--http2", "--cacert", "ca.pem", "--resolve",
      "a:80:[::1]", "--proxy",
      "http://p:1", "-iv", "-o", "out", "--output", "json", "--pin", pin, "--no-redirects", "--activity",
      "Posting")
    var expected = Transfer(method: .post, url: "http://a")
    expected.fields = [HTTPFields.Field("A", "b")]
    expected.query = [NameAndValue(name: "x", value: "1=2")]
    expected.body = .text("hi", contentType: BodyArgument.formType)
    expected.timeout = .seconds(10)
    expected.connectTimeout = .seconds(2)
    expected.deadline = .seconds(60)
    expected.retries = 3
    expected.isCompressed = true
    expected.httpVersion = .http2
    expected.connection.authorities = "ca.pem"
    expected.connection.overrides = [AddressOverride(host: "a", port: 80, address: "::1")]
    expected.connection.proxy = "http://p:1"
    expected.showsHead = true
    expected.isVerbose = true
    expected.target = .file("out")
    expected.showsProgress = true
    expected.format = .json
    expected.connection.tls.pins = ["*": ["sha256/\(pin)"]]
    expected.redirects = 0
    expected.activity = "Posting"
    #expect(transfer == expected)
  }

  @Test func `a certificate accepts a key and a password, and a proxy accepts a user`() throws {
    let connection = try transfer(
      "get", "u", "--cert", "me.pem:s3cret", "--key", "me.key", "--tls-min", "1.3", "--proxy-user",
      "ann:pa:ss",
      "--pin", "a.test=sha256/\(String(repeating: "A", count: 43))="
    ).connection
    var expected = ConnectionArguments()
    expected.tls.clientCertificate = ClientCertificate(file: "me.pem", keyFile: "me.key", password: "s3cret")
    expected.tls.minimumVersion = .tls13
    expected.tls.pins = ["a.test": ["sha256/\(String(repeating: "A", count: 43))="]]
    expected.proxyCredential = .basic(user: "ann", password: "pa:ss")
    #expect(connection == expected)
    let digest = try transfer("get", "u", "--proxy-user", "ann:b", "--proxy-digest").connection
    #expect(digest.proxyCredential == .digest(user: "ann", password: "b"))
  }

  @Test(arguments: [
    ["--key", "me.key"], ["--cert", ""], ["--cert", ":s3cret"], ["--cert", "a", "--key", ""],
    ["--proxy-digest"], ["--proxy-user", "s3cret"], ["--tls-min", "1.1"],
    ["--proxy", "none", "--proxy-user", "a:s3cret"],
  ])
  func `a connection option without a value, or without another that it requires, is refused`(
    _ options: [String]
  ) {
    let error = #expect(throws: UsageError.self) { try Invocation(["get", "u"] + options) }
    #expect(error.map { "\($0.message) \($0.hint ?? "")".contains("s3cret") } == false)
  }

  @Test func `download names its file after the URL, unless another name is given`() throws {
    #expect(try transfer("download", "u").target == .fileNamedByURL)
    #expect(try transfer("download", "u", "-o", "f", "--resume").target == .file("f"))
    #expect(try transfer("download", "u", "--resume").resumes)
    #expect(throws: UsageError.self) { try transfer("download", "u", "-o", "-") }
  }

  @Test func `upload sends a file, with PUT unless another method is given`() throws {
    let upload = try transfer("upload", "a.txt", "u")
    #expect(upload.method == .put)
    #expect(upload.body == .file(path: "a.txt", contentType: nil))
    #expect(upload.showsProgress)
    #expect(try transfer("upload", "-", "u", "--method", "POST").method == .post)
  }

  @Test func `help and version are accepted in their usual forms`() throws {
    for name in ["--version", "version"] {
      #expect(try Invocation([name]) == .version(isLong: false))
      #expect(try Invocation([name, "-v"]) == .version(isLong: true))
    }
    #expect(try Invocation(["help"]) == .help(.overview))
    #expect(try Invocation(["--help"]) == .help(.overview))
    #expect(try Invocation(["help", "get"]) == .help(.command("get")))
    #expect(try Invocation(["get", "--help"]) == .help(.command("get")))
    #expect(try Invocation(["help", "exit-codes"]) == .help(.exitCodes))
  }

  @Test(arguments: [
    [], ["gte"], ["get"], ["get", "a", "b"], ["upload", "a"], ["send", "GET"], ["a"], ["-i", "get"],
    ["help", "me"], ["get", "u", "--output", "xml"], ["get", "u", "-o", ""],
    ["post", "u", "-d", "a", "--json", "b"],
    ["post", "u", "-d", "a", "-d", "@f"], ["post", "u", "--json", "1", "--json", "2"],
    ["post", "u", "--form", "a"], ["post", "u", "-F", "=a"], ["get", "u", "-d", "x"],
    ["head", "u", "-o", "f"],
  ])
  func `incorrect use is a usage error`(_ arguments: [String]) {
    #expect(throws: UsageError.self) { try Invocation(arguments) }
  }

  @Test(arguments: [
    ("gte", "Did you mean errand get?")
  ])
  func `an unknown command is an error with a hint`(_ name: String, _ hint: String) {
    let error = UsageError("errand has no command \(name.debugDescription)", hint: hint)
    #expect(throws: error) { try Invocation([name]) }
  }
}

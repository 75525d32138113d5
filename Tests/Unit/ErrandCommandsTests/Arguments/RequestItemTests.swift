import ErrandCore
import Foundation
import TestSupport
import Testing

@testable import ErrandCommands

@Suite struct RequestItemTests {
  @Test(arguments: [
    ("X-A:b", RequestItem.field("X-A:b")), ("X-A:", .field("X-A:")), ("X-A;", .field("X-A;")),
    ("q==a=b", .query(NameAndValue(name: "q", value: "a=b"))),
    ("a=b:c@d", .member(name: "a", .text("b:c@d"))), ("a=", .member(name: "a", .text(""))),
    ("a:=[1, 1.10]", .member(name: "a", .json("[1, 1.10]"))),
    ("a=@f.txt", .member(name: "a", .textFile(path: "f.txt"))),
    ("a:=@f.json", .member(name: "a", .jsonFile(path: "f.json"))), ("a@f", .file(name: "a", path: "f")),
    ("a\\:b=c", .member(name: "a:b", .text("c"))),
    ("a\\=b==c", .query(NameAndValue(name: "a=b", value: "c"))),
  ])
  func `the first separator decides what an argument is`(text: String, item: RequestItem) throws {
    #expect(try RequestItem(text) == item)
  }

  @Test(arguments: ["", "word", "=b", ":b", "a:={", "a:=01"])
  func `an argument without a name, a separator or JSON is refused`(text: String) {
    #expect(throws: UsageError.self) { try RequestItem(text) }
  }

  private func transfer(_ arguments: String...) throws -> Transfer {
    guard case .transfer(let transfer) = try Invocation(arguments) else { throw UsageError("no transfer") }
    return transfer
  }

  @Test func `items make an object, fields and a query`() throws {
    let transfer = try transfer("http://a", "a=b", "X-A:c", "q==d", "Accept:", "n:=1")
    #expect(transfer.method == .post)
    #expect(
      transfer.body
        == .object([.init(name: "a", value: .text("b")), .init(name: "n", value: .json("1"))]))
    #expect(transfer.fields == [.init("X-A", "c")] && transfer.omittedFields == ["Accept"])
    #expect(transfer.query == [NameAndValue(name: "q", value: "d")])
  }

  @Test func `a file makes a form`() throws {
    let body = try transfer("post", "http://a", "a=b", "f@x.png").body
    #expect(
      body == .multipart([.field(NameAndValue(name: "a", value: "b")), .file(name: "f", path: "x.png")]))
    #expect(
      try transfer("http://a", "f@x.png", "a=@t", "a[]=1", "a[]=2").body
        == .multipart([
          .file(name: "f", path: "x.png"), .textFile(name: "a", path: "t"),
          .field(NameAndValue(name: "a[]", value: "1")), .field(NameAndValue(name: "a[]", value: "2")),
        ]))
    #expect(throws: UsageError.self) { try transfer("post", "http://a", "a:=1", "f@x.png") }
  }

  @Test(arguments: [
    ["get", "http://a", "a=b"], ["http://a", "a=b", "-d", "c"], ["http://a", "word"],
    ["http://a", "http://b", "--guaranteed"], ["http://a", "http://b", "-o", "x"],
    ["http://a", "http://b", "-Z"],
    ["-4", "-6", "http://a"], ["--http1.1", "--http2", "http://a"], ["-X", "a b", "http://a"],
    ["-O", "-o", "x", "http://a"],
    ["--print", "x", "http://a"], ["-w", "%{nothing}", "http://a"], ["--limit-rate", "fast", "http://a"],
    ["-G", "http://a"], ["--data-urlencode", "@no such file", "http://a"], ["-F", "a=@", "http://a"],
    ["-u", "", "http://a"],
    ["-e", "http://b;auto", "http://a"], ["-header", "X: y", "http://a"], ["--path-as-is", "http://a"],
    ["http://a", "http://b", "-d", "-"],
    ["--verify", "no", "http://a"], ["http://a", "--offline", "--guaranteed"],
    ["-w", "@no such file", "http://a"],
  ])
  func `a command line that contradicts itself is refused`(arguments: [String]) {
    #expect(throws: UsageError.self) { try Invocation(arguments) }
  }

  @Test func `options and a method in capitals may come before the URL`() throws {
    #expect(try transfer("-v", "get", "http://a") == transfer("get", "http://a", "-v"))
    #expect(try transfer("POST", "http://a", "a=b") == transfer("-X", "POST", "http://a", "a=b"))
    #expect(try transfer("PUT", "http://a", "-s", "-f").hidesErrorBody)
    #expect(try transfer("-X", "PURGE", "a.test").method == "PURGE")
    #expect(try transfer("-I", "a.test").method == .head)
    #expect(try transfer("-T", "f", "a.test").method == .put)
    #expect(try transfer(":3000/x").url == "http://localhost:3000/x")
    #expect(try transfer(":/x").url == "http://localhost/x")
  }

  @Test(arguments: [
    ["post", "http://a"], ["POST", "http://a"], ["PUT", "http://a"], ["-X", "PATCH", "http://a"],
    ["send", "POST", "http://a"], ["put", "http://a", "X-A:b"],
  ])
  func `a method with a body takes what is piped, unless that is ignored`(arguments: [String]) throws {
    func reads(_ arguments: [String]) throws -> Bool {
      guard case .transfer(let transfer) = try Invocation(arguments) else { throw UsageError("") }
      return transfer.readsPipe
    }
    #expect(try reads(arguments))
    #expect(try !reads(arguments + ["--ignore-stdin"]))
    #expect(try !reads(arguments + ["-d", "a"]))
  }

  @Test(arguments: [
    ["http://a"], ["get", "http://a"], ["DELETE", "http://a"], ["upload", "f", "http://a"],
    ["-X", "POST", "-G", "-d", "a", "http://a"], ["-T", "f", "http://a"],
  ])
  func `other requests leave standard input alone`(arguments: [String]) throws {
    guard case .transfer(let transfer) = try Invocation(arguments) else { throw UsageError("") }
    #expect(!transfer.readsPipe)
  }

  @Test(arguments: [
    (["a[b]=c"], "a[b]", "--json"), (["[0]=1"], "[0]", "--json"), (["a=1", "a:=2"], "a", "--json"),
    (["a:=notjson"], "a:=", "name=value"), (["@t.txt"], "no name before @", "-d @FILE"),
    (["X A:b"], "colon", "Accept"),
  ])
  func `an item that cannot be sent is named in the error`(items: [String], name: String, hint: String) {
    let error = #expect(throws: UsageError.self) { try Invocation(["http://a"] + items) }
    #expect(error?.message.contains(name) == true && error?.hint?.contains(hint) == true, "\(error!)")
  }

  @Test func `a field and a part of the query can be the text of a file`() throws {
    let folder = try TemporaryFolder()
    try folder.write("two words\n", to: "t")
    let path = folder.path("t")
    let transfer = try transfer("http://a", "X-A:@\(path)", "q==@\(path)", "X-B: @b")
    #expect(transfer.fields == [.init("X-A", "two words"), .init("X-B", "@b")])
    #expect(transfer.query == [NameAndValue(name: "q", value: "two words")])
    #expect(throws: UsageError.self) { try Invocation(["http://a", "X-A:@\(path)none"]) }
  }

  @Test func `the cookies of -b are one field`() throws {
    let fields = try transfer("-b", "a=b", "-b", "c=d; e=f", "a.test").fields
    #expect(fields == [.init("Cookie", "a=b; c=d; e=f")])
    let error = #expect(throws: UsageError.self) { try Invocation(["-b", "cookies.txt", "a.test"]) }
    #expect(error?.hint?.contains("--cookies FILE") == true)
  }

  @Test(arguments: [
    ("http://a/d/", "http://a/d/b%20c"), ("http://a", "http://a/b%20c"),
    ("http://a/?x=/#y", "http://a/b%20c?x=/#y"),
    ("http://a/d", "http://a/d"),
  ])
  func `-T adds the name of the file to a URL that ends in a slash`(url: String, expected: String) throws {
    #expect(try transfer("-T", "x/b c", url).url == expected)
    #expect(try transfer("-T", "-", url).url == url)
  }

  @Test func `several URLs are several requests with the same options`() throws {
    guard
      case .transfers(let transfers, let atOnce) = try Invocation([
        "-O", "-Z", "a.test/1", "https://b.test/2", "X-A:b",
      ])
    else { throw UsageError("it is one transfer") }
    #expect(transfers.map(\.url) == ["https://a.test/1", "https://b.test/2"] && atOnce)
    #expect(transfers.allSatisfy { $0.fields == [.init("X-A", "b")] && $0.target == .fileNamedByURL })
  }

  @Test func `a form's file has a type and a name`() throws {
    let body = try transfer("-F", "a=@b;c.txt;type=text/csv;filename=d.csv", "a.test").body
    #expect(body == .multipart([.file(name: "a", path: "b;c.txt", type: "text/csv", fileName: "d.csv")]))
  }

  @Test func `the user's file has options for all hosts and for some`() throws {
    let file = try ConfigFile(
      """
      # for all
      --retry 2 -H 'X-A: one'
      [*.example.com]
      -H "X-B: two words" --timeout 3s
      [other.test]
      -k
      """, path: "config")
    func transfer(_ arguments: String...) throws -> Transfer {
      guard case .transfer(let transfer) = try Invocation(arguments, defaults: file) else {
        throw UsageError("")
      }
      return transfer
    }
    let own = try transfer("api.example.com", "-H", "x-a: mine", "--retry", "1")
    #expect(own.retries == 1 && own.timeout == .seconds(3))
    #expect(own.fields == [.init("X-B", "two words"), .init("x-a", "mine")])
    let other = try transfer("other.test")
    #expect(other.retries == 2 && other.connection.acceptsAnyCertificate)
    #expect(try !transfer("example.com").connection.acceptsAnyCertificate)
    guard
      case .transfers(let several, _) = try Invocation(
        ["https://other.test", "https://api.example.com"], defaults: file)
    else { throw UsageError("") }
    #expect(several.map(\.connection.acceptsAnyCertificate) == [true, false])
    #expect(several.map { $0.fields.map(\.name) } == [["X-A"], ["X-A", "X-B"]])
    let login = try ConfigFile("-u ann:secret", path: "config")
    guard case .transfer(let bearer) = try Invocation(["a.test", "--bearer", "t"], defaults: login) else {
      throw UsageError("")
    }
    #expect(bearer.credentials.scheme == .bearer(SecretText("t")))
    for text in ["word", "--nothing", "-H 'x", "[a/b]"] {
      let error = #expect(throws: UsageError.self) { try ConfigFile(text, path: "config") }
      #expect(error?.message.hasPrefix("config, line 1: ") == true)
    }
    let broken = try ConfigFile("--timeout zz", path: "config")
    let error = #expect(throws: UsageError.self) { try Invocation.parsed(["a.test"], broken) }
    #expect(error?.message.hasPrefix("config: --timeout ") == true)
    let mine = #expect(throws: UsageError.self) {
      try Invocation.parsed(["a.test", "--timeout", "z"], broken)
    }
    #expect(mine?.message.hasPrefix("--timeout ") == true)
  }

  @Test func `a file of options may come from Windows, and no message shows a secret`() throws {
    let file = try ConfigFile("\u{FEFF}# mine\r\n[api.test.]\r\n--bearer T\r\n", path: "config")
    #expect(file.options(for: "https://API.test/").map(\.value) == ["T"])
    #expect(file.options(for: "https://api.test.:8443/").map(\.value) == ["T"])
    let broken = #expect(throws: UsageError.self) { try ConfigFile("--bearer tok SECRET", path: "config") }
    #expect(broken.map { !$0.message.contains("SECRET") } == true)
    #expect(throws: UsageError.self) { try ConfigFile("[api.test:443]", path: "config") }
    #expect(try ConfigFile("[::1]\n-k", path: "config").options(for: "http://[::1]:80/").count == 1)
  }

  @Test func `an outbox gets the credentials of a host only, and never those of Digest`() throws {
    func fields(_ text: String) throws -> [String] {
      let file = try ConfigFile(text, path: "config")
      return try file.credentials(for: URL(string: "https://api.test/")!).map { "\($0.name) \($0.value)" }
    }
    #expect(try fields("--bearer A\n-H 'X-API-Key: k'") == [])
    #expect(
      try fields("--bearer A\n[*.test]\n--bearer B\n[api.test]\n--bearer C") == ["Authorization Bearer C"])
    #expect(try fields("[api.test]\n-u ann:pw") == ["Authorization Basic YW5uOnB3"])
    #expect(try fields("[api.test]\n-u ann:pw --digest") == [])
    #expect(try fields("--digest\n[api.test]\n-u ann:pw\n-H 'X-API-Key: k'") == ["X-API-Key k"])
    #expect(try fields("[api.test]\n-u ann") == [])
  }

  @Test func `a stored request takes no log-in with Digest from the file, which would be sent as Basic`()
    throws
  {
    let file = try ConfigFile("[api.test]\n-u ann:pw --digest --retry 3", path: "config")
    guard
      case .transfer(let transfer) = try Invocation(["post", "api.test", "--guaranteed"], defaults: file)
    else { throw UsageError("") }
    #expect(transfer.credentials.scheme == nil)
  }
}

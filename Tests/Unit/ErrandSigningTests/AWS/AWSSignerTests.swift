import ErrandCore
import ErrandCrypto
import Foundation
import TestSupport
import Testing

@testable import ErrandSigning

@Suite struct AWSSignerTests {
  private static let secret = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"

  private func signer(
    _ service: String = "service", payload: AWSPayloadSigning = .always, token: String? = nil
  ) throws -> AWSSigner {
    try AWSSigner(
      region: "us-east-1", service: service, credentials: AWSVector.credentials(token: token),
      payload: payload)
  }

  private func outgoing(
    _ url: String = "https://example.amazonaws.com/", _ method: HTTPMethod = .get,
    fields: HTTPFields = [:], body: RequestBody = .none, date: Date = AWSVector.time
  ) throws -> OutgoingRequest {
    OutgoingRequest(method, try #require(URL(string: url)), fields: fields, body: body, date: date)
  }

  private func signed(_ request: OutgoingRequest, by signer: AWSSigner) async throws -> HTTPFields {
    var request = request
    try await signer.sign(&request)
    return request.fields
  }

  // MARK: Signed parts

  @Test func `a signature replaces an older one`() async throws {
    let signer = try signer("s3", token: AWSVector.token)
    let once = try await signed(outgoing(), by: signer)
    var again = try outgoing(fields: once)
    again.fields.append("authorization", "AWS4-HMAC-SHA256 old")
    again.fields.append("x-amz-date", "20000101T000000Z")
    #expect(try await signed(again, by: signer) == once)
    let permanent = try await signed(again, by: try self.signer("s3"))
    #expect(
      !permanent.contains("X-Amz-Security-Token"), "The session token of other credentials must be removed.")
  }

  @Test func `header fields that proxies change are not signed, and all others are`() async throws {
    let fields: HTTPFields = [
      "User-Agent": "x", "Connection": "close", "Expect": "100-continue", "X-Amzn-Trace-Id": "1",
      "TE": "trailers",
      "Proxy-Authorization": "p", "Sec-Fetch-Site": "none", "Accept": "a", "Content-Type": "t", "X-A": "1",
    ]
    let authorization = try await signed(outgoing(fields: fields), by: signer())["Authorization"] ?? ""
    #expect(authorization.contains("SignedHeaders=accept;content-type;host;x-a;x-amz-date,"))
  }

  @Test func `each part of a request changes the signature`() async throws {
    let signer = try signer()
    let base = try await signed(outgoing(), by: signer)["Authorization"]
    let later = AWSVector.time.addingTimeInterval(1)
    for other in [
      try outgoing("https://example.amazonaws.com/a"), try outgoing("https://example.amazonaws.com/?a"),
      try outgoing("https://other.amazonaws.com/"), try outgoing("https://example.amazonaws.com:444/"),
      try outgoing("https://example.amazonaws.com/", .post), try outgoing(fields: ["X-A": ""]),
      try outgoing(body: .text("a")), try outgoing(date: later), try outgoing(fields: ["Host": "h"]),
    ] {
      #expect(try await signed(other, by: signer)["Authorization"] != base, "\(other)")
    }
    for same in [
      try outgoing("https://example.amazonaws.com"), try outgoing("https://example.amazonaws.com:443/"),
      try outgoing("https://example.amazonaws.com/#fragment"),
      try outgoing("https://example.amazonaws.com/?"),
      try outgoing(fields: ["User-Agent": "x"]), try outgoing(fields: ["Host": " example.amazonaws.com "]),
      try outgoing(body: .bytes(Data())), try outgoing(date: AWSVector.time.addingTimeInterval(0.9)),
    ] {
      #expect(try await signed(same, by: signer)["Authorization"] == base, "\(same)")
    }
  }

  @Test(
    arguments: [
      ("https://h/a", "h", "/a", nil), ("https://h:443", "h", "/", nil), ("http://h:443/", "h:443", "/", nil),
      ("http://h:080/?", "h", "/", ""), ("https://u:p@h:8443?q#f?", "h:8443", "/", "q"),
      ("HTTPS://[::1]:443/", "[::1]", "/", nil), ("http://[fe80::1%25eth0]:81/", "[fe80::1]:81", "/", nil),
      ("https://h/a?b?c=/d", "h", "/a", "b?c=/d"), ("https://h:/a", "h", "/a", nil),
      ("https://a@b@h/", "h", "/", nil),
    ] as [(String, String, String, String?)])
  func `the target is split in the form in which it is sent`(
    url: String, host: String, path: String, query: String?
  )
    throws
  {
    let target = try AWSTarget(url)
    #expect(target.host == host)
    #expect(target.path == path)
    #expect(target.query == query)
  }

  @Test(arguments: [
    "", "/", "h", "https:", "https:/h", "https://", "https:///p", "https://:80/", "https://ex%C3%A9.de/",
  ])
  func `a URL without a host is refused`(url: String) {
    #expect(throws: SigningError.self) { try AWSTarget(url) }
  }

  @Test(arguments: [
    ("/", "/", "/"), ("/a/b/", "/a/b/", "/a/b/"), ("/a//b/./../c", "/a/c", "/a//b/./../c"),
    ("/..", "/", "/.."), ("/a/..", "/", "/a/.."), ("/a/b/..", "/a", "/a/b/.."),
    ("/../../a", "/a", "/../../a"),
    ("/a%20b", "/a%2520b", "/a%20b"), ("/a+b", "/a%2Bb", "/a%2Bb"), ("/a%2Fb", "/a%252Fb", "/a/b"),
    ("/%7Ea%2a", "/%257Ea%252a", "/~a%2A"), ("/%FF%", "/%25FF%25", "/%FF%25"), ("/...", "/...", "/..."),
    ("/$&'()*,;=:@!", "/%24%26%27%28%29%2A%2C%3B%3D%3A%40%21", "/%24%26%27%28%29%2A%2C%3B%3D%3A%40%21"),
  ])
  func `a path is normalized and encoded twice, except for S3`(path: String, others: String, s3: String) {
    #expect(AWSCanonicalURL.path(normalizing: path) == others)
    #expect(AWSCanonicalURL.path(keeping: path) == s3)
  }

  @Test(arguments: [
    ("", ""), ("a", "a="), ("b=2&a=1", "a=1&b=2"), ("a=2&a=1&a", "a=&a=1&a=2"), ("a=b=c", "a=b%3Dc"),
    ("&&a=1&", "a=1"), ("a=1+2", "a=1%202"), ("a=1%2B2", "a=1%2B2"), ("a%2b=%7e", "a%2B=~"), ("=v", "=v"),
    ("%=1&%zz=%F", "%25=1&%25zz=%25F"), ("a=%FF", "a=%FF"), ("b&a%20=1&a=2", "a=2&a%20=1&b="),
    ("a?=/", "a%3F=%2F"), ("A=1&a=1&_=1", "A=1&_=1&a=1"),
  ])
  func `a query is decoded, encoded and sorted`(query: String, canonical: String) {
    #expect(AWSCanonicalURL.query(query) == canonical)
  }

  // MARK: The body

  @Test func `S3 receives the digest of the body, and other services do not`() async throws {
    let digest = SHA256Digest(hashing: Data("hello".utf8)).description
    let request = try outgoing(body: .text("hello"))
    #expect(try await signed(request, by: signer("s3"))["X-Amz-Content-SHA256"] == digest)
    #expect(try await signed(request, by: signer())["X-Amz-Content-SHA256"] == nil)
    let lie = try outgoing(fields: ["x-amz-content-sha256": "lie"])
    #expect(try await signed(lie, by: signer())["X-Amz-Content-SHA256"] == nil)
    for service in ["s3", "service"] {
      let unsigned = try await signed(request, by: signer(service, payload: .never))
      #expect(unsigned["X-Amz-Content-SHA256"] == "UNSIGNED-PAYLOAD")
    }
  }

  @Test func `a stream is refused, or sent without a signature of its body if that is configured`()
    async throws
  {
    let stream = RequestBody.stream(AsyncStream<Data> { $0.finish() })
    let request = try outgoing(body: stream)
    await #expect { try await signed(request, by: signer("s3")) } throws: {
      ($0 as? SigningError)?.code == .invalidRequest
    }
    let fields = try await signed(request, by: signer("s3", payload: .exceptStreams))
    #expect(fields["X-Amz-Content-SHA256"] == "UNSIGNED-PAYLOAD")
    let text = try outgoing(body: .text("hello"))
    #expect(
      try await signed(text, by: signer("s3", payload: .exceptStreams))
        == (try await signed(text, by: signer("s3"))))
  }

  @Test func `a file has the signature of its bytes`() async throws {
    let folder = try TemporaryFolder()
    let data = Data.seeded(3_000_000)
    try folder.write(data, to: "file")
    let file = try outgoing(body: .file(folder.file("file"), contentType: "a/b"))
    let bytes = try outgoing(body: .bytes(data, contentType: "a/b"))
    #expect(try await signed(file, by: signer("s3")) == (try await signed(bytes, by: signer("s3"))))
    let missing = try outgoing(body: .file(folder.file("missing")))
    await #expect(throws: (any Error).self) { try await signed(missing, by: signer("s3")) }
  }

  // MARK: Refusals

  @Test(
    arguments: [
      ("", "secret", nil), ("id", "", nil), ("id", "secret", ""), ("i/d", "secret", nil),
      ("i,d", "secret", nil),
      ("i=d", "secret", nil), ("id\n", "secret", nil), ("id", "secret\n", nil), ("id", "se cret", nil),
      ("id", "secret", "to\r\nken"), ("ïd", "secret", nil), ("id", "secret\0", nil),
    ] as [(String, String, String?)])
  func `malformed credentials are refused`(id: String, secret: String, token: String?) {
    #expect { try AWSCredentials(accessKeyID: id, secretAccessKey: secret, sessionToken: token) } throws: {
      ($0 as? SigningError)?.code == .invalidCredentials
    }
  }

  @Test func `missing environment variables are named in the error`() throws {
    let all = ["AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": "s", "AWS_SESSION_TOKEN": "t"]
    #expect(try AWSCredentials(environment: all).sessionToken == "t")
    #expect(try AWSCredentials(environment: all.filter { $0.value != "t" }).sessionToken == nil)
    #expect(
      try AWSCredentials(environment: all.merging(["AWS_SESSION_TOKEN": ""]) { $1 }).sessionToken == nil)
    for name in ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"] {
      for environment in [all.filter { $0.key != name }, all.merging([name: ""]) { $1 }] {
        #expect { try AWSCredentials(environment: environment) } throws: { "\($0)".contains(name) }
      }
    }
  }

  @Test(arguments: [
    ("", "s3"), ("us-east-1", ""), ("us/east", "s3"), ("us-east-1", "s3\n"), ("us east", "s3"), ("é", "s3"),
    (String(repeating: "a", count: 101), "s3"),
  ])
  func `a region and a service must be names`(region: String, service: String) {
    #expect {
      try AWSSigner(region: region, service: service, credentials: AWSVector.credentials())
    } throws: {
      ($0 as? SigningError)?.code == .invalidParameter
    }
  }

  @Test func `a header field with a line break is not signed`() async throws {
    for fields in [["X-A": "a\nhost:evil"], ["X-A": "a\rb"], ["X-A\n": "a"], ["": "a"], ["X A": "a"]]
      as [HTTPFields]
    {
      await #expect { try await signed(outgoing(fields: fields), by: signer()) } throws: {
        ($0 as? SigningError)?.code == .invalidRequest
      }
      await #expect(throws: SigningError.self) {
        try await signer().presignedURL(
          for: outgoing().url, fields: fields, lifetime: .seconds(1), date: AWSVector.time)
      }
    }
    await #expect(throws: SigningError.self) {
      try await signed(outgoing("https://h/", "GE T"), by: signer())
    }
  }

  @Test(arguments: [
    Duration.zero, .seconds(-1), .milliseconds(999), .milliseconds(604_800_001), .seconds(Int64.max),
  ])
  func `a presigned URL lasts from a second to 7 days`(lifetime: Duration) async throws {
    await #expect {
      try await signer().presignedURL(for: outgoing().url, lifetime: lifetime, date: AWSVector.time)
    } throws: { ($0 as? SigningError)?.code == .invalidParameter }
  }

  @Test func `presigning a presigned URL replaces its signature`() async throws {
    let signer = try signer("s3", token: AWSVector.token)
    let url = try #require(URL(string: "https://example.amazonaws.com/a%20b?x=1&X-Amz-Expires=9&y=%2B#f"))
    let once = try await signer.presignedURL(for: url, lifetime: .seconds(60), date: AWSVector.time)
    let again = try await signer.presignedURL(for: once, lifetime: .seconds(60), date: AWSVector.time)
    #expect(once == again)
    #expect(once.absoluteString.hasPrefix("https://example.amazonaws.com/a%20b?x=1&y=%2B&X-Amz-Algorithm="))
    #expect(!once.absoluteString.contains("#"))
    #expect(once.absoluteString.contains("&X-Amz-Expires=60&"))
  }

  @Test func `the identity is that of the credentials`() throws {
    struct Role: AWSCredentialProvider {
      var identity: String? { "role" }
      func credentials() async throws -> AWSCredentials { try AWSVector.credentials() }
    }
    #expect(try signer().identity == "AKIDEXAMPLE")
    #expect(try AWSSigner(region: "r", service: "s", credentials: Role()).identity == "role")
  }

  // MARK: Secrets

  @Test func `nothing shows a secret`() async throws {
    let credentials = try AWSVector.credentials(token: AWSVector.token)
    let signer = try AWSSigner(region: "us-east-1", service: "s3", credentials: credentials)
    var request = try outgoing()
    try await signer.sign(&request)
    var shown = "\(credentials) \(signer) \(request) \(request.fields)"
    shown += String(reflecting: credentials) + String(reflecting: signer) + String(reflecting: request)
    dump(credentials, to: &shown)
    dump(signer, to: &shown)
    dump(request, to: &shown)
    for secret in [Self.secret, AWSVector.token, "AKIDEXAMPLE", "Signature="] {
      #expect(!shown.contains(secret), "\(shown)")
    }
  }

  // MARK: Time

  @Test func `a timestamp is in UTC, and is parsed as it is written`() throws {
    var random = Seeded(3)
    for _ in 0..<20_000 {
      let date = Date(timeIntervalSince1970: Double(random.number(0...253_402_300_799)))
      let text = try AWSTimestamp(date).text
      #expect(text.utf8.count == 16)
      #expect(AWSTimestamp.date(text) == date)
    }
    #expect(try AWSTimestamp(AWSVector.time).text == "20150830T123600Z")
    #expect(try AWSTimestamp(Date(timeIntervalSince1970: 951_782_400)).text == "20000229T000000Z")
    #expect(try AWSTimestamp(Date(timeIntervalSince1970: 0)).text == "19700101T000000Z")
  }

  @Test(arguments: [Double.nan, .infinity, -.infinity, -1, 253_402_300_800, 1e300])
  func `a date that cannot be written is refused`(seconds: Double) async throws {
    await #expect {
      try await signed(outgoing(date: Date(timeIntervalSince1970: seconds)), by: signer())
    } throws: { ($0 as? SigningError)?.code == .invalidParameter }
  }

  @Test(arguments: [
    "", "20150830T123600", "20150830T123600z", "2015-830T123600Z", "20151330T123600Z", "２0150830T12360Z",
    "20150830T126000Z", "20150800T123600Z", "00010101T000000Z", "+0150830T123600Z",
  ])
  func `an invalid timestamp is not parsed`(text: String) {
    #expect(AWSTimestamp.date(text) == nil)
  }

  // MARK: The server's clock

  @Test func `a wrong clock is learned from a refusal, and forgotten when it is corrected`() async throws {
    let signer = try signer()
    func time(_ local: Date, _ url: String = "https://example.amazonaws.com/") async throws -> Date? {
      try await signed(outgoing(url, date: local), by: signer)["X-Amz-Date"].flatMap(AWSTimestamp.date)
    }
    let (right, slow) = (AWSVector.time, AWSVector.time.addingTimeInterval(-3600))
    var request = try outgoing(date: slow)
    try await signer.sign(&request)
    let refusal = Data("<Error><Code>RequestTimeTooSkewed</Code></Error>".utf8)
    let date: HTTPFields = ["Date": "Sun, 30 Aug 2015 12:36:00 GMT"]
    #expect(await !signer.shouldSignAgain(request, after: 403, date, bodyPrefix: Data("other".utf8)))
    #expect(try await time(slow) == slow)
    #expect(await signer.shouldSignAgain(request, after: 403, date, bodyPrefix: refusal))
    #expect(try await time(slow) == right)
    #expect(try await time(slow, "https://EXAMPLE.amazonaws.com/") == right)
    #expect(try await time(slow, "https://other.amazonaws.com/") == slow)
    let url = try await signer.presignedURL(for: outgoing().url, lifetime: .seconds(1), date: slow)
    #expect(url.absoluteString.contains("X-Amz-Date=20150830T123600Z"))
    // The clock is corrected, which a response of any kind shows.
    var late = try outgoing(date: right)
    try await signer.sign(&late)
    #expect(await !signer.shouldSignAgain(late, after: 404, date, bodyPrefix: Data()))
    #expect(try await time(right) == right)
  }

  // MARK: Junk

  @Test(.computesLong) func `no input of any kind crashes`() async throws {
    var random = Seeded(99)
    let scalars = Array("aZ09/:@?#[]%&=+;.~é😀\u{0}\r\n\t \u{7F}-_<>".unicodeScalars)
    func junk(_ random: inout Seeded) -> String {
      String(
        String.UnicodeScalarView(
          (0..<random.number(0...25)).map { _ in scalars[random.number(0...scalars.count - 1)] }))
    }
    let signer = try signer(["s3", "service"][random.number(0...1)])
    for _ in 0..<20_000 {
      let (path, query) = (junk(&random), junk(&random))
      let paths = [AWSCanonicalURL.path(normalizing: path), AWSCanonicalURL.path(keeping: path)]
      for text in paths + [AWSCanonicalURL.query(query)] {
        #expect(text.utf8.allSatisfy { 0x21...0x7E ~= $0 }, "\(path) \(query)")
      }
      #expect(AWSCanonicalURL.query(AWSCanonicalURL.query(query)) == AWSCanonicalURL.query(query))
      #expect(AWSCanonicalURL.path(keeping: paths[1]) == paths[1])
      _ = try? AWSTarget("https://\(junk(&random))")
      _ = try? AWSTarget(junk(&random))
      _ = AWSTimestamp.date(junk(&random))
      _ = AWSRefusal(
        HTTPStatus(random.number(0...999)), ["X-Amzn-ErrorType": junk(&random)], Data(junk(&random).utf8))
      guard random.number(0...9) == 0, let url = URL(string: "https://h/\(path)?\(query)") else { continue }
      var request = OutgoingRequest(
        HTTPMethod(random.number(0...3) == 0 ? junk(&random) : "GET"), url,
        fields: HTTPFields(dictionaryLiteral: ("X-A", junk(&random)), ("X-B", "b")), date: AWSVector.time)
      try? await signer.sign(&request)
      _ = try? await signer.presignedURL(for: url, lifetime: .seconds(9), date: AWSVector.time)
      _ = await signer.shouldSignAgain(
        request, after: 403, ["Date": junk(&random)], bodyPrefix: Data(junk(&random).utf8))
    }
  }

  @Test func `a server's date that cannot be written does not end the signatures for its host`()
    async throws
  {
    let signer = try signer()
    let refused = try outgoing(date: AWSVector.time)
    let fields: HTTPFields = ["Date": "Fri, 31 Dec 9999 23:59:59 GMT"]
    let body = Data("<Code>RequestTimeTooSkewed</Code>".utf8)
    #expect(await signer.shouldSignAgain(refused, after: 403, fields, bodyPrefix: body))
    let later = try await signed(outgoing(date: AWSVector.time.addingTimeInterval(60)), by: signer)
    #expect(later["X-Amz-Date"]?.hasPrefix("20150830T1237") == true)
  }

  @Test func `one key is derived for each day, region and service`() async throws {
    let credentials = try AWSVector.credentials(token: nil)
    for day in [0.0, 86_400, 0] {
      for (region, service) in [("us-east-1", "service"), ("us-east-1", "s3"), ("eu-central-1", "service")] {
        func value(_ credentials: AWSCredentials) async throws -> String? {
          let signer = try AWSSigner(region: region, service: service, credentials: credentials)
          return try await signed(outgoing(date: AWSVector.time.addingTimeInterval(day)), by: signer)[
            "Authorization"]
        }
        let (kept, fresh) = (
          try await value(credentials), try await value(try AWSVector.credentials(token: nil))
        )
        #expect(kept == fresh)
      }
    }
  }
}

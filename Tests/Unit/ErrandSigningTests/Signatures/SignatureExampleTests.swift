import ErrandCore
import Foundation
import Testing

@_spi(Benchmarks) @testable import ErrandSigning

/// The signed messages of RFC 9421: section 2.4, 3.2 and 4.3, and appendices B.2 to B.4. The signature bases
/// are compared byte for byte, and all signatures are verified; deterministic ones are also created.
@Suite struct SignatureExampleTests {
  /// Verifies the signature with this label, and expects that its base has these lines.
  private func expect(
    _ message: SignableMessage, _ label: String, _ key: some VerificationKey, _ lines: [String],
    location: SourceLocation = #_sourceLocation
  ) async throws {
    let signature = try #require(try MessageSignature.all(in: message.fields).first { $0.label == label })
    let base = String(decoding: try message.signatureBase(for: signature.parameters), as: UTF8.self)
    #expect(base == lines.joined(separator: "\n"), sourceLocation: location)
    let verifier = MessageVerifier(keys: [key], requiring: [])
    let verified = try await verifier.verify(
      message, label: label, now: RFCMessages.date.addingTimeInterval(10))
    #expect(verified.label == label && verified.parameters == signature.parameters, sourceLocation: location)
  }

  private static let rsaPSS = Result {
    try PublicKey(pem: RFCKeys.rsaPSSPublic).verificationKey(for: .rsaPSSSHA512) as any VerificationKey
  }
  private static let p256 = Result {
    try PublicKey(pem: RFCKeys.p256Public).verificationKey() as any VerificationKey
  }
  private static let ed25519 = Result {
    try PublicKey(pem: RFCKeys.ed25519Public).verificationKey() as any VerificationKey
  }

  @Test func `the minimal signature of B.2.1 covers nothing`() async throws {
    let parameters = #"();created=1618884473;keyid="test-key-rsa-pss";nonce="b3k2pp5k7z-50gnwp.yemd""#
    let message = RFCMessages.request.signed(
      "sig-b21=\(parameters)",
      """
      sig-b21=:d2pmTvmbncD3xQm8E9ZV2828BjQWGgiwAaw5bAkgibUopemLJcWDy/lkbbHAve4cRAtx31Iq786U7it++wgGxbtRxf8Udx7zFZsckz\
      XaJMkA7ChG52eSkFxykJeNqsrWH5S+oxNFlD4dzVuwe8DhTSja8xxbR/Z2cOGdCbzR72rgFWhzx2VjBqJzsPLMIQKhO4DGezXehhWwE56YCE+O6\
      c0mKZsfxVrogUvA4HELjVKWmAvtl6UnCh8jYzuVG5WSb/QEVPnP5TmcAnLH1g+s++v6d4s8m0gCw1fV5/SITLq9mhho8K3+7EPYTU8IU1bLhdx\
      O5Nyt8C8ssinQ98Xw9Q==:
      """)
    try await expect(message, "sig-b21", Self.rsaPSS.get(), ["\"@signature-params\": \(parameters)"])
  }

  @Test func `the signature of B.2.2 covers selected components`() async throws {
    let parameters = #"""
      ("@authority" "content-digest" "@query-param";name="Pet");created=1618884473;keyid="test-key-rsa-pss"\#
      ;tag="header-example"
      """#
    let message = RFCMessages.request.signed(
      "sig-b22=\(parameters)",
      """
      sig-b22=:LjbtqUbfmvjj5C5kr1Ugj4PmLYvx9wVjZvD9GsTT4F7GrcQEdJzgI9qHxICagShLRiLMlAJjtq6N4CDfKtjvuJyE5qH7KT8UCMkSow\
      OB4+ECxCmT8rtAmj/0PIXxi0A0nxKyB09RNrCQibbUjsLS/2YyFYXEu4TRJQzRw1rLEuEfY17SARYhpTlaqwZVtR8NV7+4UKkjqpcAoFqWFQh62\
      s7Cl+H2fjBSpqfZUJcsIk4N6wiKYd4je2U/lankenQ99PZfB4jY3I5rSV2DSBVkSFsURIjYErOs0tFTQosMTAoxk//0RoKUqiYY8Bh0aaUEb0r\
      Ql3/XaVe4bXTugEjHSw==:
      """)
    try await expect(
      message, "sig-b22", Self.rsaPSS.get(),
      [
        #""@authority": example.com"#, #""content-digest": \#(RFCMessages.requestDigest)"#,
        #""@query-param";name="Pet": dog"#, "\"@signature-params\": \(parameters)",
      ])
  }

  @Test func `the signature of B.2.3 covers the complete request`() async throws {
    let parameters = #"""
      ("date" "@method" "@path" "@query" "@authority" "content-type" "content-digest" "content-length")\#
      ;created=1618884473;keyid="test-key-rsa-pss"
      """#
    let message = RFCMessages.request.signed(
      "sig-b23=\(parameters)",
      """
      sig-b23=:bbN8oArOxYoyylQQUU6QYwrTuaxLwjAC9fbY2F6SVWvh0yBiMIRGOnMYwZ/5MR6fb0Kh1rIRASVxFkeGt683+qRpRRU5p2voTp768Z\
      rCUb38K0fUxN0O0iC59DzYx8DFll5GmydPxSmme9v6ULbMFkl+V5B1TP/yPViV7KsLNmvKiLJH1pFkh/aYA2HXXZzNBXmIkoQoLd7YfW91kE9o/\
      CCoC1xMy7JA1ipwvKvfrs65ldmlu9bpG6A9BmzhuzF8Eim5f8ui9eH8LZH896+QIF61ka39VBrohr9iyMUJpvRX2Zbhl5ZJzSRxpJyoEZAFL2F\
      Uo5fTIztsDZKEgM4cUA==:
      """)
    try await expect(
      message, "sig-b23", Self.rsaPSS.get(),
      [
        #""date": Tue, 20 Apr 2021 02:07:55 GMT"#, #""@method": POST"#, #""@path": /foo"#,
        #""@query": ?param=Value&Pet=dog"#, #""@authority": example.com"#,
        #""content-type": application/json"#,
        #""content-digest": \#(RFCMessages.requestDigest)"#, #""content-length": 18"#,
        "\"@signature-params\": \(parameters)",
      ])
  }

  @Test func `the signature of B.2.4 is that of a response`() async throws {
    let parameters =
      #"("@status" "content-type" "content-digest" "content-length");created=1618884473;keyid="test-key-ecc-p256""#
    let message = RFCMessages.response.signed(
      "sig-b24=\(parameters)",
      "sig-b24=:wNmSUAhwb5LxtOtOpNa6W5xj067m5hFrj0XQ4fvpaCLx0NKocgPquLgyahnzDnDAUy5eCdlYUEkLIj+32oiasw==:")
    try await expect(
      message, "sig-b24", Self.p256.get(),
      [
        #""@status": 200"#, #""content-type": application/json"#,
        #""content-digest": \#(RFCMessages.responseDigest)"#, #""content-length": 23"#,
        "\"@signature-params\": \(parameters)",
      ])
  }

  @Test func `the signature of B.2.5 is created with a shared key`() async throws {
    let key = try SharedKey(RFCKeys.shared, keyID: "test-shared-secret")
    let signer = try MessageSigner(
      key, covering: ["date", .authority, "content-type"], label: "sig-b25", lifetime: nil, nonce: .none)
    var message = RFCMessages.request
    try await signer.signature(of: message, at: RFCMessages.date).add(to: &message.fields)
    #expect(
      message.fields["Signature-Input"]
        == #"sig-b25=("date" "@authority" "content-type");created=1618884473;keyid="test-shared-secret""#)
    #expect(message.fields["Signature"] == "sig-b25=:pxcQw6G3AjtMBQjwo8XzkZf/bws5LelbaMk5rGIGtE8=:")
    try await MessageVerifier(keys: [key], requiring: [.authority]).verify(message, now: RFCMessages.date)
  }

  @Test func `the signature of B.2.6 is created with Ed25519`() async throws {
    let key = try PrivateKey(pem: RFCKeys.ed25519Private, keyID: "test-key-ed25519").signingKey()
    let signer = try MessageSigner(
      key, covering: ["date", .method, .path, .authority, "content-type", "content-length"], label: "sig-b26",
      lifetime: nil, nonce: .none)
    var request = OutgoingRequest(
      .post, RFCMessages.url("https://example.com/foo?param=Value&Pet=dog"),
      fields: ["Date": "Tue, 20 Apr 2021 02:07:55 GMT", "Content-Type": "application/json"],
      body: .bytes(RFCMessages.requestContent), date: RFCMessages.date)
    try await signer.sign(&request)
    #expect(
      request.fields["Signature-Input"] == #"""
        sig-b26=("date" "@method" "@path" "@authority" "content-type" "content-length");created=1618884473\#
        ;keyid="test-key-ed25519"
        """#)
    // CryptoKit creates a different signature each time.
    #if !canImport(CryptoKit)
      #expect(
        request.fields["Signature"]
          == "sig-b26=:wqcAqbmYJ2ji2glfAMaRy4gruYYnx2nEFN2HN6jrnDnQCK1u02Gb04v9EDgwUPiu4A0w6vuQv5lIp5WPpBKRCw==:"
      )
    #endif
    #expect(!request.fields.contains("Content-Length"))
  }

  @Test func `a proxy signs for the origin behind it, as in B.3`() async throws {
    let certificate = """
      :MIIBqDCCAU6gAwIBAgIBBzAKBggqhkjOPQQDAjA6MRswGQYDVQQKDBJMZXQncyBBdXRoZW50aWNhdGUxGzAZBgNVBAMMEkxBIEludGVybWVkaWF0ZS\
      BDQTAeFw0yMDAxMTQyMjU1MzNaFw0yMTAxMjMyMjU1MzNaMA0xCzAJBgNVBAMMAkJDMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE8YnXXfaUgmnM\
      tOXU/IncWalRhebrXmckC8vdgJ1p5Be5F/3YC8OthxM4+k1M6aEAEFcGzkJiNy6J84y7uzo9M6NyMHAwCQYDVR0TBAIwADAfBgNVHSMEGDAWgBRm3W\
      jLa38lbEYCuiCPct0ZaSED2DAOBgNVHQ8BAf8EBAMCBsAwEwYDVR0lBAwwCgYIKwYBBQUHAwIwHQYDVR0RAQH/BBMwEYEPYmRjQGV4YW1wbGUuY29t\
      MAoGCCqGSM49BAMCA0gAMEUCIBHda/r1vaL6G3VliL4/Di6YK0Q6bMjeSkC3dFCOOB8TAiEAx/kHSB4urmiZ0NX5r5XarmPk0wmuydBVoU4hBVZ1yhk=:
      """
    let parameters =
      #"("@path" "@query" "@method" "@authority" "client-cert");created=1618884473;keyid="test-key-ecc-p256""#
    let message = RFCMessages.message(
      "POST", "https://service.internal.example/foo?param=Value&Pet=dog",
      [
        "Host": "service.internal.example", "Date": "Tue, 20 Apr 2021 02:07:55 GMT",
        "Content-Type": "application/json", "Content-Length": "18", "Client-Cert": certificate,
      ]
    ).signed(
      "ttrp=\(parameters)",
      "ttrp=:xVMHVpawaAC/0SbHrKRs9i8I3eOs5RtTMGCWXm/9nvZzoHsIg6Mce9315T6xoklyy0yzhD9ah4JHRwMLOgmizw==:")
    try await expect(
      message, "ttrp", Self.p256.get(),
      [
        #""@path": /foo"#, #""@query": ?param=Value&Pet=dog"#, #""@method": POST"#,
        #""@authority": service.internal.example"#, #""client-cert": \#(certificate)"#,
        "\"@signature-params\": \(parameters)",
      ])
  }

  @Test(
    arguments: [
      ("GET", "example.org", "/demo?name1=Value1&Name2=value2", ["application/json", "*/*"], [:], true),
      (
        "GET", "example.org", "/demo?name1=Value1&Name2=value2&param=added", ["application/json", "*/*"],
        ["Accept-Language": "en-US,en;q=0.5"], true
      ),
      (
        "GET", "example.org", "/demo?name1=Value1&Name2=value2", ["application/json, */*"],
        ["Referer": "https://developer.example.org/demo"], true
      ),
      (
        "GET", "EXAMPLE.ORG:443", "/demo?name1=Value1&Name2=value2", [" application/json  ", "*/* "], [:],
        true
      ),
      ("POST", "example.com", "/demo?name1=Value1&Name2=value2", ["application/json", "*/*"], [:], false),
      ("GET", "example.org", "/demo?name1=Value1&Name2=value2", ["*/*", "application/json"], [:], false),
    ] as [(HTTPMethod, String, String, [String], HTTPFields, Bool)])
  func `a message may be transformed as B.4 says`(
    method: HTTPMethod, host: String, target: String, accept: [String], others: HTTPFields,
    isValid: Bool
  ) async throws {
    var message = RFCMessages.message(method, "https://\(host)\(target)", others)
    message.fields.append("Host", host)
    for value in accept { message.fields.append("Accept", value) }
    message = message.signed(
      #"transform=("@method" "@path" "@authority" "accept");created=1618884473;keyid="test-key-ed25519""#,
      "transform=:ZT1kooQsEHpZ0I1IjCqtQppOmIqlJPeo7DHR3SoMn0s5JZ1eRGS0A+vyYP9t/LXlh5QMFFQ6cpLt2m0pmj3NDA==:")
    let verifier = MessageVerifier(
      keys: [try Self.ed25519.get()], requiring: [.method, .path, .authority, "accept"])
    let code = await codeOfRefusal { try await verifier.verify(message, now: RFCMessages.date) }
    #expect(code == (isValid ? nil : .invalidSignature))
  }

  @Test func `a response is bound to its request, as in section 2.4`() async throws {
    let digest =
      "sha-512=:0Y6iCBzGg5rZtoXS95Ijz03mslf6KAMCloESHObfwnHJDbkkWWQz6PhhU9kxsTbARtY2PTBOzq24uJFpHsMuAg==:"
    let fields: HTTPFields = [
      "Date": "Tue, 20 Apr 2021 02:07:56 GMT", "Content-Type": "application/json", "Content-Length": "62",
      "Content-Digest": digest,
    ]
    let some = #"""
      ("@status" "content-digest" "content-type" "@authority";req "@method";req "@path";req "content-digest";req)\#
      ;created=1618884479;keyid="test-key-ecc-p256"
      """#
    let head = [#""@status": 503"#, #""content-digest": \#(digest)"#, #""content-type": application/json"#]
    let start = [#""@authority";req: example.com"#, #""@method";req: POST"#, #""@path";req: /foo"#]
    let response = SignableMessage(503, fields: fields, answering: RFCMessages.request)
    try await expect(
      response.signed(
        "reqres=\(some)",
        "reqres=:dMT/A/76ehrdBTD/2Xx8QuKV6FoyzEP/I9hdzKN8LQJLNgzU4W767HK05rx1i8meNQQgQPgQp8wq2ive3tV5Ag==:"),
      "reqres", Self.p256.get(),
      head + start + [
        #""content-digest";req: \#(RFCMessages.requestDigest)"#, "\"@signature-params\": \(some)",
      ])

    let all = #"""
      ("@status" "content-digest" "content-type" "@authority";req "@method";req "@path";req "@query";req \#
      "content-digest";req "content-type";req "content-length";req);created=1618884479;keyid="test-key-ecc-p256"
      """#
    try await expect(
      response.signed(
        "reqres=\(all)",
        "reqres=:C73J41GVKc+TYXbSobvZf0CmNcptRiWN+NY1Or0A36ISg6ymdRN6ZgR2QfrtopFNzqAyv+CeWrMsNbcV2Ojsgg==:"),
      "reqres", Self.p256.get(),
      head + start + [
        #""@query";req: ?param=Value&Pet=dog"#, #""content-digest";req: \#(RFCMessages.requestDigest)"#,
        #""content-type";req: application/json"#, #""content-length";req: 18"#,
        "\"@signature-params\": \(all)",
      ])
  }

  @Test func `the signature of section 3.2 is valid`() async throws {
    let parameters = #"""
      ("@method" "@authority" "@path" "content-digest" "content-length" "content-type");created=1618884473\#
      ;keyid="test-key-rsa-pss"
      """#
    let message = RFCMessages.request.signed(
      "sig1=\(parameters)",
      """
      sig1=:HIbjHC5rS0BYaa9v4QfD4193TORw7u9edguPh0AW3dMq9WImrlFrCGUDih47vAxi4L2YRZ3XMJc1uOKk/J0ZmZ+wcta4nKIgBkKq0rM9hs\
      3CQyxXGxHLMCy8uqK488o+9jrptQ+xFPHK7a9sRL1IXNaagCNN3ZxJsYapFj+JXbmaI5rtAdSfSvzPuBCh+ARHBmWuNo1UzVVdHXrl8ePL4cccql\
      azIJdC4QEjrF+Sn4IxBQzTZsL9y9TP5FsZYzHvDqbInkTNigBcE9cKOYNFCn4D/WM7F6TNuZO9EgtzepLWcjTymlHzK7aXq6Am6sfOrpIC49yXjj3\
      ae6HRalVc/g==:
      """)
    try await expect(
      message, "sig1", Self.rsaPSS.get(),
      [
        #""@method": POST"#, #""@authority": example.com"#, #""@path": /foo"#,
        #""content-digest": \#(RFCMessages.requestDigest)"#, #""content-length": 18"#,
        #""content-type": application/json"#, "\"@signature-params\": \(parameters)",
      ])
  }

  @Test func `a proxy adds its own signature, as in section 4.3`() async throws {
    let components = #""@method" "@authority" "@path" "content-digest" "content-type" "content-length""#
    let original = #"sig1=(\#(components));created=1618884475;keyid="test-key-ecc-p256""#
    var message = RFCMessages.request.signed(
      original,
      "sig1=:X5spyd6CFnAG5QnDyHfqoSNICd+BUP4LYMz2Q0JXlb//4Ijpzp+kve2w4NIyqeAuM7jTDX+sNalzA8ESSaHD3A==:")
    let now = Date(timeIntervalSince1970: 1_618_884_480)
    let client = MessageVerifier(keys: [try Self.p256.get()], requiring: [.contentDigest])
    try await client.verify(message, content: RFCMessages.requestContent, now: now)

    message.fields["Host"] = "origin.host.internal.example"
    message.fields.append("Forwarded", "for=192.0.2.123;host=example.com;proto=https")
    let key = try PrivateKey(pem: RFCKeys.rsaPrivate, keyID: "test-key-rsa").signingKey(for: .rsaV15SHA256)
    let signer = try MessageSigner(
      key,
      covering: [
        .method, .authority, .path, .contentDigest, "content-type", "content-length", "forwarded",
      ], label: "proxy_sig", lifetime: .seconds(60), nonce: .none, sendsAlgorithm: true)
    try await signer.signature(of: message, at: now).add(to: &message.fields)
    #expect(
      message.fields["Signature-Input"] == #"""
        \#(original), proxy_sig=(\#(components) "forwarded");created=1618884480;keyid="test-key-rsa"\#
        ;alg="rsa-v1_5-sha256";expires=1618884540
        """#)
    #expect(
      message.fields["Signature"] == """
        sig1=:X5spyd6CFnAG5QnDyHfqoSNICd+BUP4LYMz2Q0JXlb//4Ijpzp+kve2w4NIyqeAuM7jTDX+sNalzA8ESSaHD3A==:, \
        proxy_sig=:S6ZzPXSdAMOPjN/6KXfXWNO/f7V6cHm7BXYUh3YD/fRad4BCaRZxP+JH+8XY1I6+8Cy+CM5g92iHgxtRPz+MjniOaYmdkDcnL9cC\
        pXJleXsOckpURl49GwiyUpZ10KHgOEe11sx3G2gxI8S0jnxQB+Pu68U9vVcasqOWAEObtNKKZd8tSFu7LB5YAv0RAGhB8tmpv7sFnIm9y+7X5kX\
        Qfi8NMaZaA8i2ZHwpBdg7a6CMfwnnrtflzvZdXAsD3LH2TwevU+/PBPv0B6NMNk93wUs/vfJvye+YuI87HU38lZHowtznbLVdp770I6VHR6Wfg\
        S9ddzirrswsE1w5o0LV/g==:
        """)
    let origin = try PublicKey(pem: RFCKeys.rsaPublic, keyID: "test-key-rsa").verificationKey(
      for: .rsaV15SHA256)
    let verified = try await MessageVerifier(keys: [origin], requiring: ["forwarded", .authority]).verify(
      message, now: now)
    #expect(verified.label == "proxy_sig")
  }
}

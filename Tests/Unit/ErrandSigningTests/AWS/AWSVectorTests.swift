import ErrandCore
import ErrandCrypto
import Foundation
import Testing

@testable import ErrandSigning

@Suite struct `AWS's test suite` {
  @Test(arguments: AWSVector.all)
  func `a signature equals the published one`(vector: AWSVector) throws {
    let scope = try #require(AWSVector.scope)
    let target = try AWSTarget("https://example.amazonaws.com\(vector.target)")
    let time = try AWSTimestamp(AWSVector.time)
    var fields: HTTPFields = ["X-Amz-Date": time.text, "Host": target.host]
    for (name, value) in vector.fields { fields.append(name, value) }
    let request = try AWSCanonicalRequest(
      method: vector.method,
      path: vector.isNormalized
        ? AWSCanonicalURL.path(normalizing: target.path) : AWSCanonicalURL.path(keeping: target.path),
      query: AWSCanonicalURL.query(target.query ?? ""), fields: fields,
      payload: SHA256Digest(hashing: Data(vector.body.utf8)).description)
    let signature = scope.signature(of: request, at: time, with: try AWSVector.credentials())
    #expect(signature == vector.signature, "\(request.text)")
  }

  @Test func `the canonical request has the published parts`() throws {
    let scope = try #require(AWSVector.scope)
    let time = try AWSTimestamp(AWSVector.time)
    let request = try AWSCanonicalRequest(
      method: .get, path: "/", query: "", fields: ["Host": "example.amazonaws.com", "X-Amz-Date": time.text],
      payload: SHA256Digest(hashing: Data()).description)
    #expect(
      request.text == """
        GET
        /

        host:example.amazonaws.com
        x-amz-date:20150830T123600Z

        host;x-amz-date
        e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855
        """)
    #expect(
      scope.stringToSign(request, at: time) == """
        AWS4-HMAC-SHA256
        20150830T123600Z
        20150830/us-east-1/service/aws4_request
        bb579772317eb040ac9ed261061d46c1f17a8133879d6129b6e1c25292927e63
        """)
  }

  struct Presigned: Sendable {
    var target = "/"
    var fields = HTTPFields()
    var token: String?
    let signature: String
  }

  @Test(arguments: [
    Presigned(
      target: "/?Param2=value2&Param1=value1",
      signature: "86012e2c9ad4d77369f5d81c11f75158aae4f895a085212cc6d3f923d300bed5"),
    Presigned(
      fields: ["My-Header1": " value1", "My-Header2": " \"a   b   c\""],
      signature: "e7bb0fd515e125e1aec2ecc4c0c17484fb06f6846b927c35e46005dd3df3acd4"),
    Presigned(
      token: AWSVector.token, signature: "7ff2b50b376cb4d151970630573d6291dc128cc5c2a12ffb237f73cc53f67b6c"),
  ])
  func `the signature of a presigned URL equals the published one`(example: Presigned) async throws {
    let signer = try AWSSigner(
      region: "us-east-1", service: "service", credentials: AWSVector.credentials(token: example.token))
    let url = try #require(URL(string: "https://example.amazonaws.com\(example.target)"))
    let signed = try await signer.presignedURL(
      for: url, fields: example.fields, lifetime: .seconds(3600), date: AWSVector.time)
    #expect(signed.absoluteString.hasSuffix("&X-Amz-Signature=\(example.signature)"), "\(signed)")
  }
}

/// The examples of AWS's documentation, "Signature Calculations for the Authorization Header" of S3.
@Suite struct `S3's documented examples` {
  private func signer() throws -> AWSSigner {
    try AWSSigner(
      region: "us-east-1", service: "s3",
      credentials: AWSCredentials(
        accessKeyID: "AKIAIOSFODNN7EXAMPLE", secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"))
  }

  private let date = Date(timeIntervalSince1970: 1_369_353_600)

  struct Example: Sendable {
    let target: String
    var method = HTTPMethod.get
    var fields = HTTPFields()
    var body = RequestBody.none
    let signature: String
  }

  @Test(arguments: [
    Example(
      target: "/test.txt", fields: ["Range": "bytes=0-9"],
      signature: "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"),
    Example(
      target: "/test$file.text", method: .put,
      fields: ["Date": "Fri, 24 May 2013 00:00:00 GMT", "x-amz-storage-class": "REDUCED_REDUNDANCY"],
      body: .bytes(Data("Welcome to Amazon S3.".utf8)),
      signature: "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"),
    Example(
      target: "/?lifecycle", signature: "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"),
    Example(
      target: "/?max-keys=2&prefix=J",
      signature: "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"),
  ])
  func `S3's examples have the documented signatures`(example: Example) async throws {
    let url = try #require(URL(string: "https://examplebucket.s3.amazonaws.com\(example.target)"))
    var request = OutgoingRequest(
      example.method, url, fields: example.fields, body: example.body, date: date)
    try await signer().sign(&request)
    let signed = try #require(request.fields["Authorization"])
    #expect(signed.hasSuffix("Signature=\(example.signature)"), "\(signed)")
  }

  @Test func `S3's examples have the documented presigned URLs`() async throws {
    let url = try #require(URL(string: "https://examplebucket.s3.amazonaws.com/test.txt"))
    let signed = try await signer().presignedURL(for: url, lifetime: .seconds(86_400), date: date)
    #expect(
      signed.absoluteString == "https://examplebucket.s3.amazonaws.com/test.txt"
        + "?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3"
        + "%2Faws4_request&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host"
        + "&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404")
  }
}

import ErrandCore
import ErrandCrypto

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The region and the service that a signature is for.
struct AWSScope: Sendable, Hashable {
  static let algorithm = "AWS4-HMAC-SHA256"

  let region: String
  let service: String

  /// - Throws: `SigningError.invalidParameter` if either is not a name.
  init(region: String, service: String) throws(SigningError) {
    guard Self.isName(region) else {
      throw SigningError(
        .invalidParameter,
        "\(region.prefix(100).debugDescription) is not a region; give one such as eu-central-1"
      )
    }
    guard Self.isName(service) else {
      throw SigningError(
        .invalidParameter,
        "\(service.prefix(100).debugDescription) is not a service; give its signing name, such as s3 or execute-api"
      )
    }
    (self.region, self.service) = (region, service)
  }

  private static func isName(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.count <= 100
      && text.utf8.allSatisfy { 48...57 ~= $0 || 97...122 ~= ASCII.lowered($0) || "-_.".utf8.contains($0) }
  }

  /// True for services that treat every segment of a path as part of a name, and that require the digest of
  /// the body in a header field.
  var isS3: Bool { ["s3", "s3-object-lambda", "s3-outposts", "s3express"].contains(service) }

  func path(_ target: AWSTarget) -> String {
    isS3 ? AWSCanonicalURL.path(keeping: target.path) : AWSCanonicalURL.path(normalizing: target.path)
  }

  /// Returns the scope in a credential, such as `20150830/us-east-1/service/aws4_request`.
  func text(at time: AWSTimestamp) -> String { "\(time.day)/\(region)/\(service)/aws4_request" }

  func stringToSign(_ request: AWSCanonicalRequest, at time: AWSTimestamp) -> String {
    "\(Self.algorithm)\n\(time.text)\n\(text(at: time))\n\(request.digest)"
  }

  /// Returns the signature in hexadecimal digits.
  func signature(
    of request: AWSCanonicalRequest, at time: AWSTimestamp, with credentials: AWSCredentials
  ) -> String {
    let key = credentials.derived.key(AWSDerivedKey.Use(day: time.day, region: region, service: service)) {
      [time.day, region, service, "aws4_request"].reduce(credentials.firstKey) {
        HMACSHA256.code(key: $0, data: Array($1.utf8))
      }
    }
    let code = HMACSHA256.code(key: key, data: Array(stringToSign(request, at: time).utf8))
    return code.withUnsafeBytes { bytes in bytes.hexadecimal }
  }
}

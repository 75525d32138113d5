public import ErrandCore

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Signs requests for AWS, and for services that sign like AWS, with AWS Signature Version 4.
///
/// ```swift
/// let credentials = try AWSCredentials(accessKeyID: id, secretAccessKey: key)
/// let signer = try AWSSigner(region: "eu-central-1", service: "s3", credentials: credentials)
/// try await client.send(.get("https://bucket.s3.eu-central-1.amazonaws.com/file").signed(by: signer))
/// ```
///
/// The signature covers the method, the path, the query, the body, and all header fields that proxies do not
/// change. For S3 the path is signed as it is. For all other services it is signed without dot segments and
/// empty segments, and encoded twice.
///
/// If a server refuses a signature because of its time, the signer learns the difference between the server's
/// clock and the local clock, and signs the request once more. The difference applies to this host only. It
/// is forgotten when the local clock is right again.
public struct AWSSigner: RequestSigner {
  let scope: AWSScope
  let provider: any AWSCredentialProvider
  let clock = AWSClock()
  private let payload: AWSPayloadSigning

  /// The region that signatures are for, such as `eu-central-1`.
  package var region: String { scope.region }
  /// The service's signing name, such as `s3` or `execute-api`.
  package var service: String { scope.service }
  /// The identity of the credentials; nil if their provider has none.
  public var identity: String? { provider.identity }

  /// Makes a signer for a service in a region.
  /// - Parameters:
  ///   - region: The region's name, such as `eu-central-1`.
  ///   - service: The service's signing name, such as `s3` or `execute-api`.
  ///   - credentials: The provider of the credentials.
  ///   - payload: The bodies that are signed. Default: all.
  /// - Throws: `SigningError.invalidParameter` if the region or the service is not a name.
  public init(
    region: String, service: String, credentials: any AWSCredentialProvider,
    payload: AWSPayloadSigning = .always
  ) throws(SigningError) {
    scope = try AWSScope(region: region, service: service)
    provider = credentials
    self.payload = payload
  }

  /// Adds `Authorization`, `X-Amz-Date`, `X-Amz-Security-Token` for temporary credentials, and
  /// `X-Amz-Content-SHA256` for S3 and for an unsigned body. They replace those that the request has.
  /// - Throws: `SigningError`, and the errors of the provider and of reading the body.
  public func sign(_ request: inout OutgoingRequest) async throws {
    let target = try AWSTarget(request.url)
    let credentials = try await provider.credentials()
    let word = try await AWSPayload.word(for: request.body, payload)
    let host = request.fields["Host"].map(ASCII.trimmed) ?? target.host
    let time = try AWSTimestamp(clock.date(for: host, at: request.date))

    var fields = request.fields
    for name in ["Authorization", "X-Amz-Security-Token", "X-Amz-Content-SHA256"] { fields.remove(name) }
    fields.set("X-Amz-Date", time.text)
    if let token = credentials.sessionToken { fields.set("X-Amz-Security-Token", token, isSecret: true) }
    if scope.isS3 || word == AWSPayload.unsigned { fields.set("X-Amz-Content-SHA256", word) }

    var signed = fields
    signed.set("Host", host)
    let canonical = try AWSCanonicalRequest(
      method: request.method, path: scope.path(target), query: AWSCanonicalURL.query(target.query ?? ""),
      fields: signed, payload: word)
    let signature = scope.signature(of: canonical, at: time, with: credentials)
    fields.set(
      "Authorization",
      "\(AWSScope.algorithm) Credential=\(credentials.accessKeyID)/\(scope.text(at: time)), "
        + "SignedHeaders=\(canonical.signedNames), Signature=\(signature)",
      isSecret: true)
    request.fields = fields
  }

  /// Returns true if the server refused the signature because of its time, and the next signature will have
  /// another time.
  public func shouldSignAgain(
    _ request: OutgoingRequest, after status: HTTPStatus, _ fields: HTTPFields, bodyPrefix: Data
  ) async -> Bool {
    guard let target = try? AWSTarget(request.url) else { return false }
    let refusal = AWSRefusal(status, fields, bodyPrefix)
    return clock.take(
      refusal, of: request, from: request.fields["Host"].map(ASCII.trimmed) ?? target.host,
      serverDate: fields["Date"].flatMap(HTTPDate.parse))
  }
}

extension AWSSigner: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  public var description: String { "AWSSigner(\(region), \(service))" }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: ["region": region, "service": service]) }
}

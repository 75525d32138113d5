import ErrandCore
import ErrandTesting
import Foundation

@testable import ErrandSigning

/// A server's check of AWS Signature Version 4, with the keys of AWS's examples.
enum AWSVerification {
  static let secret = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"
  static let environment = "AWS_ACCESS_KEY_ID=AKIDEXAMPLE AWS_SECRET_ACCESS_KEY=\(secret)"

  /// Returns true if the request is signed with these keys, at any time.
  static func isValid(_ request: MockRequest, service: String, token: String? = nil) async throws -> Bool {
    guard let authorization = request.fields["Authorization"], let host = request.fields["Host"],
      let url = URL(string: "http://\(host)\(request.target)"),
      let date = request.fields["X-Amz-Date"].flatMap(AWSTimestamp.date),
      let names = authorization.firstMatch(of: /SignedHeaders=([^,]*),/)?.1.split(separator: ";"),
      request.fields["X-Amz-Security-Token"] == token
    else { return false }
    var fields = HTTPFields()
    for field in request.fields where names.contains(Substring(ASCII.lowercased(field.name))) {
      fields.append(field.name, field.value)
    }
    let signer = try AWSSigner(
      region: "eu-central-1", service: service,
      credentials: AWSCredentials(
        accessKeyID: "AKIDEXAMPLE", secretAccessKey: secret, sessionToken: token))
    var outgoing = OutgoingRequest(
      request.method, url, fields: fields, body: .bytes(request.body), date: date)
    try await signer.sign(&outgoing)
    return outgoing.fields["Authorization"] == authorization
  }
}

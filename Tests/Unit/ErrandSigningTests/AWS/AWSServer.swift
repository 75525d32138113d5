import ErrandCore
import ErrandCrypto
import ErrandTesting
import Foundation

@testable import ErrandSigning

/// A server that accepts only signed requests whose time is close to its own.
final class AWSServer: Sendable {
  let server: MockServer
  private let scope: AWSScope
  private let credentials: AWSCredentials
  private let clock: @Sendable () -> Date

  init(_ service: String, token: String? = nil, clock: @escaping @Sendable () -> Date) throws {
    server = try MockServer()
    scope = try AWSScope(region: "us-east-1", service: service)
    credentials = try AWSVector.credentials(token: token)
    self.clock = clock
    server.otherwise { [weak self] in self?.reply(to: $0) ?? .response(status: 500) }
  }

  private func reply(to request: MockRequest) -> MockResponse {
    let date = clock()
    let refusal = (try? problem(with: request, at: date)) ?? "a malformed request"
    guard !refusal.isEmpty else { return .response(fields: ["Date": date.httpDate], body: request.body) }
    return .response(
      status: 403, fields: ["Date": date.httpDate], body: "<Error><Code>\(refusal)</Code></Error>")
  }

  /// Returns why the request is refused; an empty text if it is not.
  private func problem(with request: MockRequest, at date: Date) throws -> String {
    guard let authorization = request.fields["Authorization"], let host = request.fields["Host"],
      let time = request.fields["X-Amz-Date"].flatMap(AWSTimestamp.date),
      let names = authorization.firstMatch(of: /SignedHeaders=([^,]*),/)?.1.split(separator: ";")
    else { return "MissingAuthenticationToken" }
    guard abs(time.timeIntervalSince(date)) <= 300 else { return "RequestTimeTooSkewed" }
    guard request.fields["X-Amz-Security-Token"] == credentials.sessionToken else { return "InvalidToken" }
    var fields = HTTPFields()
    for field in request.fields where names.contains(Substring(ASCII.lowercased(field.name))) {
      fields.append(field.name, field.value)
    }
    let target = try AWSTarget("http://\(host)\(request.target)")
    let payload = SHA256Digest(hashing: request.body).description
    guard [payload, nil, AWSPayload.unsigned].contains(request.fields["X-Amz-Content-SHA256"]) else {
      return "XAmzContentSHA256Mismatch"
    }
    let canonical = try AWSCanonicalRequest(
      method: request.method, path: scope.path(target), query: AWSCanonicalURL.query(target.query ?? ""),
      fields: fields, payload: request.fields["X-Amz-Content-SHA256"] ?? payload)
    let signature = scope.signature(of: canonical, at: try AWSTimestamp(time), with: credentials)
    return authorization.hasSuffix("Signature=\(signature)") ? "" : "SignatureDoesNotMatch"
  }
}

extension Date {
  /// The date as servers write it (RFC 9110, section 5.6.7).
  var httpDate: String {
    let style = DateFormatter()
    style.locale = Locale(identifier: "en_US_POSIX")
    style.timeZone = TimeZone(identifier: "GMT")
    style.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
    return style.string(from: self)
  }
}

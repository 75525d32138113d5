import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The object that `--output json` prints about a response or a failure.
struct JSONReport: Encodable {
  struct Failure: Encodable {
    let code: String
    let message: String
    let hint: String?
    let exit: Int32
    let attempts: Int?

    init(_ failure: CommandFailure) {
      code = failure.code
      message = failure.message
      hint = failure.hint
      exit = failure.exit.rawValue
      attempts = failure.cause.flatMap { $0.attempt > 0 ? $0.attempt : nil }
    }
  }

  let method: String
  let url: String?
  var status: Int?
  /// The header fields in order, `[name, value]` each, so that a repeated name stays repeated.
  var fields: [[String]]?
  /// The body, if it is UTF-8.
  var body: String?
  /// The body in base64, if it is not.
  var bodyBase64: String?
  /// The file that the body was written to.
  var file: String?
  var timing: JSONTiming?
  var error: Failure?
  /// The stored request, if it must be delivered.
  var stored: OutboxRecord?
  /// False if the body is only the first part of the response's.
  var isWhole: Bool?

  init(method: Method, url: String?) {
    self.method = method.rawValue
    self.url = url
  }

  mutating func setResponse(_ status: Status, _ fields: HTTPFields) {
    self.status = status.code
    self.fields = fields.map { [$0.name, $0.value] }
  }

  mutating func setBody(_ data: Data) {
    if let text = String(validating: data, as: UTF8.self) {
      body = text
    } else {
      bodyBase64 = data.base64EncodedString()
    }
  }

  mutating func setFailure(_ failure: CommandFailure) { error = Failure(failure) }
}

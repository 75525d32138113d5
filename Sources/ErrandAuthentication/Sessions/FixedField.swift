import ErrandCore

/// A credential that is one header field and cannot be refreshed, so a 401 response goes to the caller.
struct FixedField: Authenticator {
  let name: String
  let problem: String?
  var authenticatesAtOnce: Bool { true }

  func authenticate(_ request: Request, with value: String) throws -> Request {
    if let problem { throw RequestError(.invalidRequest, message: problem, reachedServer: false) }
    var request = request
    request.fields.set(name, value, isSecret: true)
    return request
  }

  func isStale(_ value: String, _ response: ResponseHead) -> Bool { false }

  func refresh(_ value: String?, _ refresh: CredentialRefresh) throws -> String {
    throw CredentialRejected(reason: "this credential cannot be refreshed")
  }
}

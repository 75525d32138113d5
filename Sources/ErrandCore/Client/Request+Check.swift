#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension Request {
  /// Puts credentials where redirects know how to drop them, and refuses what cannot be sent.
  mutating func makeReady() throws(RequestError) {
    adoptUserOfURL()
    if let problem { throw RequestError(.invalidRequest, message: problem, reachedServer: false) }
  }

  /// Why it cannot be sent, or nil.
  package var problem: String? {
    if case .invalid(_, let reason) = address { return reason }
    if !ASCII.isToken(method.rawValue) {
      return "the method \(method.rawValue.debugDescription) is not a token"
    }
    if case .invalid(let reason) = body.content { return reason }
    for name in ["Content-Length", "Transfer-Encoding"] where fields.contains(name) {
      return "\(name) is told from the body and cannot be set"
    }
    return fields.problem
  }

  /// `https://user:password@host` becomes basic authentication (RFC 7617), which redirects know how to drop.
  private mutating func adoptUserOfURL() {
    guard let url, let user = url.user(percentEncoded: false) else { return }
    let password = url.password(percentEncoded: false) ?? ""
    if !fields.contains("Authorization") {
      fields.append("Authorization", "Basic \(Data("\(user):\(password)".utf8).base64EncodedString())")
    }
    var parts = URLComponents(url: url, resolvingAgainstBaseURL: false)
    parts?.user = nil
    parts?.password = nil
    if let bare = parts?.string { address = Address(bare) }
  }
}

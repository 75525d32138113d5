#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension Request {
  /// Puts credentials where redirects know how to drop them, and refuses early what the last check would refuse
  /// (`Exchange+Check`): before it waits for others.
  mutating func makeReady() throws(RequestError) {
    if address.hasUser { adoptUserOfURL() }
    if let problem { throw RequestError(.invalidRequest, message: problem, reachedServer: false) }
  }

  /// `https://user:password@host` becomes basic authentication (RFC 7617), which redirects know how to drop.
  private mutating func adoptUserOfURL() {
    guard case .valid(let url) = address, var reference = URLReference(url.absoluteString),
      let user = reference.takeUser()
    else { return }
    if !user.isEmpty, !fields.contains("Authorization") {
      let parts = user.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      let password = parts.count > 1 ? URLBytes.decoded(parts[1]) : []
      let credentials = Data(URLBytes.decoded(parts[0]) + [UInt8(ascii: ":")] + password)
      fields.append("Authorization", "Basic \(credentials.base64EncodedString())")
    }
    address = Address(reference, of: reference.text)
  }
}

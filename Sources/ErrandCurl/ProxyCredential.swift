import CCurl
import ErrandCore

/// A user and a password for a proxy, which no other server is sent. No description shows them.
public struct ProxyCredential: Sendable, Hashable {
  enum Scheme: Sendable, Hashable {
    case basic, digest

    /// libcurl's bits for it.
    var bits: Int { self == .basic ? errand_auth_basic : errand_auth_digest }
  }

  let scheme: Scheme
  let user: String
  let password: String

  /// Sends user and password with each request, or each tunnel (RFC 7617). They are readable for all between here and
  /// the proxy, unless that is spoken to over https.
  public static func basic(user: String, password: String) -> ProxyCredential {
    ProxyCredential(scheme: .basic, user: user, password: password)
  }

  /// Sends no password, but the response to a challenge of the proxy's (RFC 7616), which the first request fetches.
  public static func digest(user: String, password: String) -> ProxyCredential {
    ProxyCredential(scheme: .digest, user: user, password: password)
  }

  /// The reason why it cannot be sent, or nil.
  var problem: String? {
    if user.utf8.contains(UInt8(ascii: ":")) {
      return "the user for the proxy contains a colon, which ends a user"
    }
    return (user + password).utf8.contains { $0 < 32 || $0 == 127 }
      ? "the user or the password for the proxy contains a control character" : nil
  }
}

extension ProxyCredential: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  public var description: String { "a credential for a proxy (\(scheme == .basic ? "Basic" : "Digest"))" }
  public var debugDescription: String { "ProxyCredential(\(description))" }
  public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

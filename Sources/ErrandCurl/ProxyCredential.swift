import CCurl
import ErrandCore

/// A user and a password for a proxy, which are sent to no other server. Descriptions do not show them.
public struct ProxyCredential: Sendable, Hashable {
  package enum Scheme: Sendable, Hashable {
    case basic, digest

    /// libcurl's bits for the scheme.
    var bits: Int { self == .basic ? errand_auth_basic : errand_auth_digest }
  }

  package let scheme: Scheme
  package let user: String
  let password: String

  /// Returns a credential that is sent with each request, or each tunnel (RFC 7617). Everyone between this
  /// machine and the proxy can read it, unless the proxy's URL is https.
  public static func basic(user: String, password: String) -> ProxyCredential {
    ProxyCredential(scheme: .basic, user: user, password: password)
  }

  /// Returns a credential whose password is not sent. A digest is sent in response to the proxy's challenge
  /// instead (RFC 7616). The first request fetches the challenge.
  public static func digest(user: String, password: String) -> ProxyCredential {
    ProxyCredential(scheme: .digest, user: user, password: password)
  }

  /// The reason why the credential cannot be sent, or nil.
  var problem: String? {
    if user.utf8.contains(UInt8(ascii: ":")) {
      return "the user for the proxy contains a colon, which is not allowed there"
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

import ErrandCore

#if os(Linux)
  import CPSL
#endif

/// The domains under which anyone can register a name, such as `com`, `co.uk` and `github.io`. No cookie is
/// for all hosts of a public suffix, because any of these hosts could then set the cookies of the others.
///
/// On Linux, libpsl provides them. It uses the list of the distribution (package `publicsuffix`) or, if that is
/// older or missing, its built-in list. Apple's platforms have no list, so a simple rule applies: exactly the
/// domains without a dot are public suffixes. There, hosts under `co.uk` or `github.io` can set each other's
/// cookies.
struct PublicSuffixes: Sendable {
  private let registrable: @Sendable (String) -> String?

  /// - Parameter registrable: Returns the registrable domain of a domain name in lower case; nil if the name
  ///   is a public suffix.
  init(_ registrable: @escaping @Sendable (String) -> String?) { self.registrable = registrable }

  /// Returns the public suffix and one label before it. Returns nil for a public suffix, an address, or a
  /// text that is not a domain name.
  func registrableDomain(of host: String) -> String? {
    let labels = host.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard !host.isAddress, !labels.contains(where: \.isEmpty) else { return nil }
    return registrable(host)
  }

  /// The rule for systems without a list: exactly the domains without a dot are public suffixes.
  static let plain = PublicSuffixes { host in
    let labels = host.utf8.split(separator: UInt8(ascii: "."))
    return labels.count < 2 ? nil : labels.suffix(2).map { String($0) ?? "" }.joined(separator: ".")
  }

  /// The suffixes that this system knows.
  static let system = system(or: plain)

  #if os(Linux)
    private static func system(or plain: PublicSuffixes) -> PublicSuffixes {
      guard let list = unsafe psl_latest(nil) ?? psl_builtin() else { return plain }
      // Safe to share: libpsl only reads the list, and nothing frees it.
      nonisolated(unsafe) let shared = unsafe list
      return PublicSuffixes { host in
        unsafe host.withCString { name in
          unsafe psl_registrable_domain(shared, name).map { unsafe String(cString: $0) }
        }
      }
    }
  #else
    private static func system(or plain: PublicSuffixes) -> PublicSuffixes { plain }
  #endif
}

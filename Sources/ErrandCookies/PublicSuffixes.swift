import ErrandCore

#if os(Linux)
  import CPSL
#endif

/// The domains under which anybody can register a name, such as `com`, `co.uk` and `github.io`: no cookie is
/// for all hosts of one, or any of them could set the others' cookies.
///
/// On Linux libpsl answers, with the list of the distribution (package `publicsuffix`) or, if that is older
/// or missing, its own. On Apple's platforms there is no list, so the plain rule holds: a domain without a
/// dot is a public suffix, and no other. There, hosts under `co.uk` or `github.io` can set each other's
/// cookies.
struct PublicSuffixes: Sendable {
  private let registrable: @Sendable (String) -> String?

  /// - Parameter registrable: Returns the registrable domain of a domain name in lower case; nil if it is a
  ///   public suffix.
  init(_ registrable: @escaping @Sendable (String) -> String?) { self.registrable = registrable }

  /// Returns the public suffix and one label before it; nil for a host that is a public suffix itself, an
  /// address, or no domain name.
  func registrableDomain(of host: String) -> String? {
    let labels = host.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard !host.isAddress, !labels.contains(where: \.isEmpty) else { return nil }
    return registrable(host)
  }

  /// The plain rule.
  static let plain = PublicSuffixes { host in
    let labels = host.utf8.split(separator: UInt8(ascii: "."))
    return labels.count < 2 ? nil : labels.suffix(2).map { String($0) ?? "" }.joined(separator: ".")
  }

  /// The suffixes that this system knows.
  static let system = system(or: plain)

  #if os(Linux)
    private static func system(or plain: PublicSuffixes) -> PublicSuffixes {
      // The list is read once, and never changes and is never freed after that.
      guard let list = unsafe psl_latest(nil) ?? psl_builtin() else { return plain }
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

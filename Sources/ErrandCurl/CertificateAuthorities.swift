#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Where the system keeps the authorities it trusts, as one file: with a folder of them, libcurl would read them anew
/// for each connection.
enum CertificateAuthorities {
  static let systemFile: String? = {
    let named = getenv("SSL_CERT_FILE").map { String(cString: $0) }
    let usual = [
      "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt",
      "/etc/ssl/ca-bundle.pem", "/etc/ssl/cert.pem",
    ]
    return ([named].compactMap { $0 } + usual).first { access($0, R_OK) == 0 }
  }()
}

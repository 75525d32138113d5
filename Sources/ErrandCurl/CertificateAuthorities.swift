#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The file of the certificate authorities that the system trusts. It is one file because libcurl would read
/// a folder anew for each connection.
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

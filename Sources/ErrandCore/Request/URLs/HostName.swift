#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

#if os(Linux)
  import CIDN2
#else
  import Foundation
#endif

/// The reason why a text is not a URL, or not the host of one.
struct URLProblem: Error {
  let reason: String

  init(_ reason: String) { self.reason = reason }

  static let unreadable = URLProblem("it is not a valid URL: its host or its port is not valid")
}

/// Converts the host of a URL to its canonical form, in which it is compared, signed, cached, shared and
/// sent.
///
/// Names with letters beyond ASCII are converted to A-labels (UTS #46, non-transitional). An IPv4 address
/// becomes four decimal numbers, from any notation of `inet_aton`, because libcurl connects to these. An IPv6
/// address is written as by `inet_ntop` (RFC 5952). ASCII letters keep their case: hosts are compared without
/// regard to it.
package enum HostName {
  /// Returns a host from a configuration in the form of hosts in URLs: in lower case, an IPv6 address without
  /// brackets. Returns nil if it is not a host.
  package static func canonical(_ text: String) -> String? {
    if text.utf8.contains(UInt8(ascii: ":")) { return IPAddress.canonicalIPv6(Array(text.utf8)[...]) }
    guard !text.isEmpty, let name = try? name(Array(text.utf8)) else { return nil }
    return ASCII.lowercased(name)
  }

  /// Returns a name or an IPv4 address in its canonical form.
  /// - Parameter bytes: The host as written in the URL, with its percent-encoding decoded.
  static func name(_ bytes: [UInt8]) throws(URLProblem) -> String {
    let isASCII = bytes.allSatisfy { $0 < 0x80 }
    var name = bytes
    if !isASCII || hasALabel(bytes) { name = try international(bytes) }
    guard name.allSatisfy({ URLBytes.isUnreserved($0) || URLBytes.isSubDelimiter($0) }) else {
      throw .unreadable
    }
    return IPAddress.dotted(name[...]) ?? String(decoding: name, as: UTF8.self)
  }

  /// Returns true if a label begins with `xn--`.
  private static func hasALabel(_ name: [UInt8]) -> Bool {
    name.split(separator: UInt8(ascii: ".")).contains { label in
      label.prefix(4).map(ASCII.lowered).elementsEqual("xn--".utf8)
    }
  }

  private static func international(_ bytes: [UInt8]) throws(URLProblem) -> [UInt8] {
    let shown = String(decoding: bytes, as: UTF8.self)
    func problem(_ reason: String) -> URLProblem {
      URLProblem(
        "\(shown.prefix(100).debugDescription) is not a valid international host name: \(reason)")
    }
    guard let text = String(validating: bytes, as: UTF8.self), !bytes.contains(0) else {
      throw problem("it is not UTF-8")
    }
    let name: [UInt8]
    switch ALabels.name(text) {
    case .name(let found): name = Array(found.utf8)
    case .unknown(let reason):
      // DNS may have letters that this machine's Unicode version does not know, so an A-label is sent
      // unchanged.
      guard bytes.allSatisfy({ $0 < 0x80 }) else {
        throw problem("\(reason); if it is registered, write its form in DNS (xn--…)")
      }
      name = bytes
    case .invalid(let reason): throw problem(reason)
    }
    let labels = name.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    // A dot at the end, for the root, does not count.
    let length = labels.last?.isEmpty == true ? name.count - 1 : name.count
    guard length > 0 else { throw problem("its form in DNS is empty") }
    guard length <= 253, labels.allSatisfy({ $0.count <= 63 }) else {
      throw problem("its form in DNS is longer than 253 bytes, or has a label longer than 63")
    }
    return name
  }
}

/// Converts international names to A-labels (UTS #46, non-transitional), independently of the locale. It uses
/// libidn2 on Linux, and Foundation's URL parser on Apple's platforms.
enum ALabels {
  enum Result {
    case name(String)
    /// The name has a letter that is not allowed, or that this version of Unicode does not know.
    case unknown(String)
    case invalid(String)
  }

  #if os(Linux)
    /// - Parameter text: A text without NUL.
    static func name(_ text: String) -> Result {
      var name: UnsafeMutablePointer<UInt8>?
      let flags = Int32(IDN2_NFC_INPUT.rawValue | IDN2_NONTRANSITIONAL.rawValue)
      let code = unsafe (Array(text.utf8) + [0]).withUnsafeBufferPointer { bytes in
        unsafe bytes.baseAddress.map { unsafe idn2_lookup_u8($0, &name, flags) }
      }
      if code == IDN2_OK.rawValue, let name = unsafe name {
        defer { unsafe idn2_free(name) }
        return .name(unsafe String(cString: name))
      }
      let reason = unsafe code.flatMap { unsafe idn2_strerror($0) }.map { unsafe String(cString: $0) } ?? ""
      let unknown = [IDN2_DISALLOWED.rawValue, IDN2_UNASSIGNED.rawValue]
      return code.map(unknown.contains) == true ? .unknown(reason) : .invalid(reason)
    }
  #else
    static func name(_ text: String) -> Result {
      guard let host = URL(string: "https://\(text)/")?.host(percentEncoded: true),
        host.utf8.allSatisfy({ $0 < 0x80 && $0 != UInt8(ascii: "%") })
      else { return .invalid("it has a letter that host names may not have") }
      return .name(host)
    }
  #endif
}

#if os(Linux)
  import CIDN2
#else
  import Foundation
#endif

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

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The reason why a text is not the host of a URL, or not a URL.
struct URLProblem: Error {
  let reason: String

  init(_ reason: String) { self.reason = reason }

  static let unreadable = URLProblem("it is not a valid URL: its host or its port is not valid")
}

/// The host of a URL in one form, in which it is compared, signed, cached, shared and sent.
///
/// A name has A-labels in the place of letters beyond ASCII (UTS #46, non-transitional). An IPv4 address is four
/// decimal numbers, from any notation of `inet_aton`, as libcurl sends it and connects to it. An IPv6 address is as
/// `inet_ntop` writes it (RFC 5952). The case of letters in a name of ASCII stays: hosts are compared without regard to it.
package enum HostName {
  /// Returns a host that is written in a configuration, in the form of hosts in URLs: its letters in lower case, an IPv6
  /// address without brackets; nil if it is not a host.
  package static func canonical(_ text: String) -> String? {
    if text.utf8.contains(UInt8(ascii: ":")) { return IPAddress.canonicalIPv6(Array(text.utf8)[...]) }
    guard !text.isEmpty, let name = try? name(Array(text.utf8)) else { return nil }
    return ASCII.lowercased(name)
  }

  /// Returns a name, or an IPv4 address, in its one form.
  /// - Parameter bytes: The host as it is written, without percent-encoding.
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
      // A registry may know letters that this machine does not know, and an A-label is sent as it is.
      guard bytes.allSatisfy({ $0 < 0x80 }) else {
        throw problem("\(reason); if it is registered, write it as it is in DNS (xn--…)")
      }
      name = bytes
    case .invalid(let reason): throw problem(reason)
    }
    let labels = name.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    // The root's dot does not count.
    let length = labels.last?.isEmpty == true ? name.count - 1 : name.count
    guard length > 0 else { throw problem("nothing of it is left in DNS") }
    guard length <= 253, labels.allSatisfy({ $0.count <= 63 }) else {
      throw problem("in DNS it is longer than 253 bytes, or one of its labels is longer than 63")
    }
    return name
  }
}

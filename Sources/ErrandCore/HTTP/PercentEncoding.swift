/// Percent-encoding of single names and values (RFC 3986), and of forms (application/x-www-form-urlencoded as
/// the WHATWG URL standard defines it).
package enum PercentEncoding {
  private static let digits = Array("0123456789ABCDEF".utf8)

  /// Returns `text` with everything but RFC 3986's unreserved characters encoded, so that `+`, `&` and `=`
  /// are preserved.
  package static func query(_ text: String) -> String {
    encode(text, spaceAsPlus: false) { byte in
      switch byte {
      case 48...57, 65...90, 97...122, 0x2D, 0x2E, 0x5F, 0x7E: true
      default: false
      }
    }
  }

  package static func form(_ text: String) -> String {
    encode(text, spaceAsPlus: true) { byte in
      switch byte {
      case 48...57, 65...90, 97...122, 0x2A, 0x2D, 0x2E, 0x5F: true
      default: false
      }
    }
  }

  private static func encode(_ text: String, spaceAsPlus: Bool, keep: (UInt8) -> Bool) -> String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count)
    for byte in text.utf8 {
      if keep(byte) {
        bytes.append(byte)
      } else if byte == 32, spaceAsPlus {
        bytes.append(0x2B)
      } else {
        bytes += [0x25, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

#if Postgres
  import ErrandCrypto
  import ErrandCore

  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif

  /// A name in the form for a column. PostgreSQL's texts cannot hold zero bytes, and its indexes cannot hold
  /// long texts.
  struct StoredName: Sendable, Hashable {
    /// The most bytes of a name that is stored unchanged.
    private static let longest = 400

    /// The name, or the digest of a long one.
    let key: String
    /// The whole of a long name; nil for any other name.
    let long: String?

    init(_ name: String) {
      let escaped = Self.escaped(name)
      if escaped.utf8.count <= Self.longest {
        (key, long) = (escaped, nil)
      } else {
        // No short name begins like this, because its backslashes are doubled.
        (key, long) = ("\\h\(SHA256Digest(hashing: Data(escaped.utf8)))", escaped)
      }
    }

    /// Returns the name that is stored in these columns.
    static func name(_ key: String, long: String?) -> String { unescaped(long ?? key) }

    private static func escaped(_ name: String) -> String {
      guard name.utf8.contains(where: { $0 == 0 || $0 == UInt8(ascii: "\\") }) else { return name }
      var text = ""
      for scalar in name.unicodeScalars {
        switch scalar {
        case "\0": text += "\\0"
        case "\\": text += "\\\\"
        default: text.unicodeScalars.append(scalar)
        }
      }
      return text
    }

    private static func unescaped(_ text: String) -> String {
      guard text.utf8.contains(UInt8(ascii: "\\")) else { return text }
      var (name, isEscaped) = ("", false)
      for scalar in text.unicodeScalars {
        if isEscaped {
          name.unicodeScalars.append(scalar == "0" ? "\0" : scalar)
          isEscaped = false
        } else if scalar == "\\" {
          isEscaped = true
        } else {
          name.unicodeScalars.append(scalar)
        }
      }
      return name
    }
  }
#endif

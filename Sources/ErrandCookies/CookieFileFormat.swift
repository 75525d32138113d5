public import ErrandCore
import ErrandCrypto

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The contents of a file of cookies: JSON lines, one cookie each, from the oldest to the newest. The first
/// line has a digest of all others, so no part of a file that was cut short or changed is read.
///
/// ```
/// {"errand":"cookies","version":1,"sha256":"5c3f…"}
/// {"created":1790000000,"domain":"example.com","expires":1790086400,"hostOnly":true,"name":"id", …}
/// ```
///
/// Dates are seconds since 1970.
enum CookieFileFormat {
  static let version = 1
  /// The beginning of each file, whatever its version.
  private static let beginning = Data("{\"errand\":\"cookies\",".utf8)

  /// Returns true for a file that Errand has written, even if it is damaged.
  static func isOwn(_ data: Data) -> Bool { data.starts(with: beginning) }

  static func data(of entries: [CookieList.Entry]) throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    var lines = Data()
    for entry in entries {
      lines += try encoder.encode(Line(entry))
      lines.append(UInt8(ascii: "\n"))
    }
    return head(of: lines) + lines
  }

  /// Returns the entries of a file.
  /// - Throws: The fault, if these are not the contents that were written.
  static func entries(in data: Data) throws(CookieFileFault) -> [CookieList.Entry] {
    guard let end = data.firstIndex(of: UInt8(ascii: "\n")) else { throw .damaged }
    let lines = data[(end + 1)...]
    guard data[...end].elementsEqual(head(of: lines)) else { throw fault(in: data[..<end]) }
    let decoder = JSONDecoder()
    var entries: [CookieList.Entry] = []
    for line in lines.split(separator: UInt8(ascii: "\n")) {
      guard let entry = try? decoder.decode(Line.self, from: line).entry else { throw .damaged }
      entries.append(entry)
    }
    return entries
  }

  private static func head(of lines: Data) -> Data {
    beginning + Data("\"version\":\(version),\"sha256\":\"\(SHA256Digest(hashing: lines))\"}\n".utf8)
  }

  private static func fault(in head: Data) -> CookieFileFault {
    guard head.count < 1000, let head = try? JSONDecoder().decode(Head.self, from: head),
      head.errand == "cookies", head.version != version
    else { return .damaged }
    return .otherVersion(head.version)
  }

  private struct Head: Decodable {
    let errand: String
    let version: Int
  }

  private struct Line: Codable {
    let name: String
    let value: String
    let domain: String
    let hostOnly: Bool
    let path: String
    let expires: Double?
    let secure: Bool
    let httpOnly: Bool
    let sameSite: Cookie.SameSite?
    let created: Double
    let received: Double
    let used: Double

    init(_ entry: CookieList.Entry) {
      let cookie = entry.cookie
      name = cookie.name
      value = cookie.value
      domain = cookie.domain
      hostOnly = cookie.isHostOnly
      path = cookie.path
      expires = cookie.expires?.timeIntervalSince1970
      secure = cookie.isSecure
      httpOnly = cookie.isHTTPOnly
      sameSite = cookie.sameSite
      created = entry.created.timeIntervalSince1970
      received = entry.received.timeIntervalSince1970
      used = entry.used.timeIntervalSince1970
    }

    /// Nil for a cookie that no store would have kept, because another program wrote the file.
    var entry: CookieList.Entry? {
      let cookie = Cookie(
        name, value, domain: domain, isHostOnly: hostOnly, path: path, expires: expires.map(Self.date),
        isSecure: secure, isHTTPOnly: httpOnly, sameSite: sameSite)
      return cookie.problem == nil
        ? CookieList.Entry(
          cookie, created: Self.date(created), received: Self.date(received), used: Self.date(used)) : nil
    }

    /// Returns a date up to the year 9999, whatever the number.
    private static func date(_ seconds: Double) -> Date {
      Date(timeIntervalSince1970: min(max(seconds, -62_135_596_800), 253_402_300_799)).toMicroseconds
    }
  }
}

/// The reason why the contents of a file are not used.
enum CookieFileFault: Error, Hashable {
  /// Another program wrote the file, and it is not a cookies.txt.
  case foreign
  /// The file was cut short, or changed since it was written.
  case damaged
  /// The file was written by another version of Errand, in a format that this one does not know.
  case otherVersion(Int)
}

/// A problem that a cookie store has found with its file. No request fails because of it.
public struct CookieFileProblem: Sendable, Hashable, CustomStringConvertible {
  /// The kind of problem.
  public enum Reason: Sendable, Hashable {
    /// The file was cut short or changed. It was moved to this path, and the store begins without cookies.
    case damaged(setAside: String)
    /// Another version of Errand wrote the file, in an unknown format. It was moved to this path, and the
    /// store begins without cookies.
    case otherVersion(Int, setAside: String)
    /// The file cannot be read, or another program wrote it and it is not a cookies.txt. It was left as it
    /// is. The store continues with the cookies that it has, and does not write them.
    case unreadable(FileError)
    /// The file could not be written. The change is used by this process, and written with the next one.
    case unwritten(FileError)
  }

  /// The path of the file.
  public let path: String
  /// The kind of problem, and the path or the error that belongs to it.
  public let reason: Reason

  /// Creates a problem, for tests of an `onProblem` closure.
  package init(path: String, reason: Reason) {
    self.path = path
    self.reason = reason
  }

  public var description: String { LogText.line(text) }

  private var text: String {
    switch reason {
    case .damaged(let place): "\(path) is damaged and was set aside as \(place); its cookies are lost"
    case .otherVersion(let version, let place):
      "\(path) has the unknown version \(version) and was set aside as \(place); its cookies are not used"
    case .unreadable(let error): "the cookies could not be read from the file: \(error)"
    case .unwritten(let error): "the cookies could not be written to the file: \(error)"
    }
  }
}

import ErrandCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The contents of a cookies.txt, as curl, wget and the exporters of browsers write it: one line for each
/// cookie, with seven fields between tabs. Pure.
///
/// ```
/// # Netscape HTTP Cookie File
/// #HttpOnly_.example.com	TRUE	/	TRUE	1790086400	id	5c3f
/// ```
///
/// The fields are the domain, whether its subdomains are included, the path, whether it is secure, the expiry
/// (0 for the end of the session), the name and the value.
struct NetscapeCookies: Sendable {
  let entries: [CookieList.Entry]
  /// The comments, and the cookies that cannot be used. They are written back as they were.
  let rest: [Data]

  private static let heads = ["# Netscape HTTP Cookie File", "# HTTP Cookie File"]
  private static let httpOnly = "#HttpOnly_"

  /// Parses a file. Returns nil if the data is not a cookies.txt. Such a file has a known first line, or only
  /// cookies and comments.
  /// - Parameter date: The date of the file, at which its cookies count as received, in the order of their
  ///   lines.
  init?(_ data: Data, dated date: Date) {
    let lines = data.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map(
      Self.withoutReturn)
    let isNamed = lines.first.map { Self.isHead($0) } ?? false
    var (entries, rest): ([CookieList.Entry], [Data]) = ([], [])
    var isCookieFile = isNamed
    for line in lines where !line.isEmpty {
      let fields = Self.fields(of: line)
      if fields == nil, !isNamed, line.first != UInt8(ascii: "#") { return nil }
      isCookieFile = isCookieFile || fields != nil
      let received = date.addingTimeInterval(Double(entries.count) * 1e-6).toMicroseconds
      if let cookie = fields.flatMap(Self.cookie) {
        entries.append(CookieList.Entry(cookie, created: received, received: received, used: received))
      } else {
        rest.append(Data(line))
      }
    }
    guard isCookieFile else { return nil }
    (self.entries, self.rest) = (entries, rest)
  }

  /// Returns the contents of a file.
  /// - Parameter rest: The other lines of the file that it replaces. Without cookies, only its comments are
  ///   kept.
  static func data(of entries: [CookieList.Entry], rest: [Data]) -> Data {
    var lines = entries.isEmpty ? rest.filter(isComment) : rest
    if !(lines.first.map { isHead($0) } ?? false) { lines.insert(Data(heads[0].utf8), at: 0) }
    // The format cannot express a tab within a value or a path.
    lines += entries.map { line(of: $0.cookie) }.filter { $0.utf8.count { $0 == UInt8(ascii: "\t") } == 6 }
      .map { Data($0.utf8) }
    return lines.reduce(into: Data()) { data, line in
      data += line
      data.append(UInt8(ascii: "\n"))
    }
  }

  static func line(of cookie: Cookie) -> String {
    [
      (cookie.isHTTPOnly ? httpOnly : "") + (cookie.isHostOnly ? "" : ".") + cookie.domain,
      cookie.isHostOnly ? "FALSE" : "TRUE", cookie.path, cookie.isSecure ? "TRUE" : "FALSE",
      "\(cookie.expires.map { max(1, Int64($0.timeIntervalSince1970)) } ?? 0)", cookie.name, cookie.value,
    ].joined(separator: "\t")
  }

  private static func isHead(_ line: Data) -> Bool {
    let text = String(decoding: line, as: UTF8.self)
    return heads.contains { ASCII.equalIgnoringCase(String(text.prefix($0.count)), $0) }
  }

  private static func isComment(_ line: Data) -> Bool {
    line.first == UInt8(ascii: "#") && !line.starts(with: httpOnly.utf8)
  }

  private static func withoutReturn(_ line: Data) -> Data { line.last == 13 ? line.dropLast() : line }

  /// Returns the fields of a cookie; nil for any other line.
  private static func fields(of line: Data) -> [String]? {
    guard !isComment(line), let text = String(validating: line, as: UTF8.self) else { return nil }
    var fields = text.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
    // Some programs leave out the tab before an empty value.
    if fields.count == 6 { fields.append("") }
    guard fields.count == 7, [fields[1], fields[3]].allSatisfy({ isTrue($0) != nil }),
      expiry(fields[4]) != nil
    else { return nil }
    return fields
  }

  private static func isTrue(_ text: String) -> Bool? {
    if ASCII.equalIgnoringCase(text, "TRUE") { return true }
    return ASCII.equalIgnoringCase(text, "FALSE") ? false : nil
  }

  /// Returns the seconds since 1970; nil if they cannot be read. Some exporters write fractions.
  private static func expiry(_ text: String) -> Int64? {
    let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    if parts.count == 2, ASCII.wholeNumber(parts[1]) == nil { return nil }
    return parts.first.flatMap { ASCII.wholeNumber($0) }
  }

  /// Returns nil for a cookie that no store would have kept.
  private static func cookie(_ fields: [String]) -> Cookie? {
    var domain = fields[0]
    let isHTTPOnly = domain.hasPrefix(httpOnly)
    if isHTTPOnly { domain.removeFirst(httpOnly.count) }
    if domain.hasPrefix(".") { domain.removeFirst() }
    // The last second of the year 9999.
    let seconds = min(expiry(fields[4]) ?? 0, 253_402_300_799)
    let cookie = Cookie(
      fields[5], fields[6], domain: ASCII.lowercased(domain), isHostOnly: isTrue(fields[1]) == false,
      path: fields[2], expires: seconds == 0 ? nil : Date(timeIntervalSince1970: Double(seconds)),
      isSecure: isTrue(fields[3]) == true, isHTTPOnly: isHTTPOnly)
    return cookie.problem == nil ? cookie : nil
  }
}

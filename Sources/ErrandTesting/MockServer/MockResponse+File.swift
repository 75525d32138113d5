import ErrandCore

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension MockResponse {
  /// Returns a response with a file, which respects `Range` and `If-Range` (RFC 9110, sections 13.1.5 and 14).
  ///
  /// The status is 206 for a `Range` with one range of bytes, and 416 if that range is outside the file. If
  /// `If-Range` does not match, the response has the whole file.
  /// - Parameters:
  ///   - data: The contents of the file.
  ///   - etag: The entity tag, with its quotes. Default: nil, which no `If-Range` matches.
  ///   - request: The request for the file.
  public static func file(_ data: Data, etag: String? = nil, for request: MockRequest) -> MockResponse {
    var response = MockResponse.response(body: data)
    response.fields["Accept-Ranges"] = "bytes"
    response.fields["Content-Type"] = "application/octet-stream"
    if let etag { response.fields["ETag"] = etag }
    guard let range = request.fields["Range"], request.method == .get else { return response }
    if let condition = request.fields["If-Range"], condition != etag { return response }
    switch bytes(range, of: data.count) {
    case .whole: return response
    case .unsatisfiable:
      response.status = 416
      response.fields["Content-Range"] = "bytes */\(data.count)"
      response.content = .plain(Data(), length: 0)
    case .part(let part):
      response.status = 206
      response.fields["Content-Range"] = "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(data.count)"
      let start = data.startIndex
      response.content = .plain(
        data.subdata(in: start + part.lowerBound..<start + part.upperBound), length: part.count)
    }
    return response
  }

  private enum Selection {
    case whole
    case part(Range<Int>)
    case unsatisfiable
  }

  private static func bytes(_ text: String, of length: Int) -> Selection {
    guard text.hasPrefix("bytes="), !text.contains(",") else { return .whole }
    let ends = text.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
    guard ends.count == 2 else { return .whole }
    switch (Int(ends[0]), Int(ends[1])) {
    case (nil, let last?) where ends[0].isEmpty:
      return last > 0 && length > 0 ? .part(max(0, length - last)..<length) : .unsatisfiable
    case (let first?, nil) where ends[1].isEmpty:
      return first < length ? .part(first..<length) : .unsatisfiable
    case (let first?, let last?) where first <= last:
      return first < length ? .part(first..<min(last + 1, length)) : .unsatisfiable
    default: return .whole
    }
  }
}

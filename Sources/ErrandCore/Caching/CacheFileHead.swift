#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The contents of a cached response's file except the body.
struct CacheFileHead: Codable, Sendable, Hashable {
  let name: String
  let partition: String
  let status: Int
  let url: String
  /// Seconds since Foundation's reference date, which are read back exactly as they were written.
  let date: Double
  /// Names and values, alternating.
  let fields: [String]

  init(_ response: CachedResponse, under key: CacheKey) {
    name = key.name
    partition = key.partition.description
    status = response.status.code
    url = response.url.absoluteString
    date = response.date.timeIntervalSinceReferenceDate
    fields = response.fields.flatMap { [$0.name, $0.value] }
  }

  func key() throws(CacheFileFault) -> CacheKey {
    guard let partition = CachePartition(partition) else { throw .damaged }
    return CacheKey(name, partition: partition)
  }

  func response(with body: Data) throws(CacheFileFault) -> CachedResponse {
    guard let url = URL(string: url), fields.count.isMultiple(of: 2) else { throw .damaged }
    var lines = HTTPFields()
    for index in stride(from: 0, to: fields.count, by: 2) { lines.append(fields[index], fields[index + 1]) }
    return CachedResponse(
      status: Status(status), fields: lines, data: body, url: url,
      date: Date(timeIntervalSinceReferenceDate: date))
  }
}

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// Examines or decodes accepted responses: signatures, digests and encryption. Filters get a body as it was
/// transferred, while it arrives; it is decoded after they have seen it.
package protocol ResponseFilter: Sendable {
  /// A text that differs for requests whose responses must not be shared.
  var identity: String { get }

  /// Adds the fields that ask for responses that the filter can use, unless the request has such fields.
  func prepare(_ fields: inout HTTPFields)

  /// Examines a response before the caller gets it, and a redirect before it is followed.
  /// - Throws: An error if it is not acceptable. The attempt fails with that error.
  func examine(_ response: ExaminedResponse) async throws

  /// Begins to filter a response that may have a body.
  /// - Returns: A filter of the body as it is transferred; nil if the filter does not need the body.
  /// - Throws: An error if the response is not acceptable. The attempt fails with that error.
  func begin(_ response: FilteredResponse) throws -> (any BodyFilter)?

  /// Returns the decoder of a content coding; nil if this filter does not decode it.
  func decoder(of coding: String, _ response: FilteredResponse) throws -> (any BodyFilter)?
}

extension ResponseFilter {
  package func examine(_ response: ExaminedResponse) async throws {}
  package func decoder(of coding: String, _ response: FilteredResponse) throws -> (any BodyFilter)? { nil }
}

/// A response that is about to be used.
package struct ExaminedResponse: Sendable {
  package let head: ResponseHead
  /// The method of the response's request.
  package let method: HTTPMethod
  package let url: URL
  /// The header fields that the request was sent with, without those that only the transport knows.
  package let fields: HTTPFields
  /// True if it is a redirect that will be followed.
  package let isRedirect: Bool
  /// True if it has content, or may have some. Whether a stream has content is not known before its end.
  package let mayHaveContent: Bool
  /// True if its content is the rest of a file whose beginning came with an earlier response.
  package let isRest: Bool
  /// The time by the client's clock.
  package let date: Date
}

/// A response whose body is about to be filtered.
package struct FilteredResponse: Sendable {
  package let head: ResponseHead
  /// The content codings of the body, in the order in which they were applied, in lower case.
  package let codings: [String]
  /// The part of the representation that an earlier response delivered, and that this one continues. It is
  /// nil if this response begins at the beginning, or at an unknown position.
  package let beginning: FileBeginning?
  /// True if the body ends where the representation ends, and begins where it begins, or where `beginning`
  /// ends.
  package let isWhole: Bool

  /// The first bytes of a file.
  package struct FileBeginning: Sendable {
    package let path: String
    package let length: Int64
  }
}

/// A filter of one body. It is called by one thread at a time.
package protocol BodyFilter: AnyObject, Sendable {
  /// Takes the next bytes, of any number.
  func put(_ bytes: Data) throws
  /// Takes the trailers of the response, before `end`. It is not called without trailers. Default: does nothing.
  func put(trailers: HTTPFields)
  /// Ends the input. The remaining output is taken after that.
  /// - Throws: An error if the input is incomplete or not acceptable.
  func end() throws
  /// Returns the next bytes of the output, in pieces of a limited size. Returns nil if it needs more input,
  /// or after the end.
  func take() throws -> Data?
  /// The work that must be done before more is put in or taken, such as a wait for a key; nil without work.
  var work: (@Sendable () async throws -> Void)? { get }
}

extension BodyFilter {
  package func put(trailers: HTTPFields) {}
  package var work: (@Sendable () async throws -> Void)? { nil }
}

extension Request {
  /// Adds a filter for the bodies of responses.
  package func filtered(by filter: any ResponseFilter) -> Request {
    with { $0.options.responseFilters.append(OnlyItself(filter)) }
  }
}

extension Request {
  /// The most content codings of a response. Each takes memory, and servers do not use more.
  private static let codingLimit = 3

  /// Returns the filters of a response's body, in the order in which its bytes pass them. The filters of the
  /// transferred body come first, then the decoders of its content codings.
  /// - Parameter beginning: The part of the representation that an earlier response has delivered.
  /// - Throws: `RequestError`, if the body cannot be decoded; or the error of a filter that does not accept
  ///   it.
  func filters(
    of head: ResponseHead, beginning: FilteredResponse.FileBeginning?
  ) throws -> [any BodyFilter] {
    let own = options.responseFilters.map(\.value)
    guard !own.isEmpty, head.status.bringsContent(to: method) else { return [] }
    let response = FilteredResponse(
      head: head, codings: head.contentCodings, beginning: beginning,
      isWhole: head.isWhole(after: beginning?.length ?? 0))
    let filters = try own.compactMap { try $0.begin(response) }
    return try filters + response.codings.reversed().map { try decoder(of: $0, response, own) }
  }

  private func decoder(
    of coding: String, _ response: FilteredResponse, _ filters: [any ResponseFilter]
  ) throws -> any BodyFilter {
    func undecodable(_ reason: String) -> RequestError { ZlibFilter.error(DecodingFailure(reason)) }
    guard response.codings.count <= Self.codingLimit else {
      throw undecodable("it has more than \(Self.codingLimit) codings")
    }
    guard response.head.status != 206 else { throw undecodable("it is a part of an encoded body") }
    for filter in filters {
      if let decoder = try filter.decoder(of: coding, response) { return decoder }
    }
    guard coding == "gzip" || coding == "x-gzip" else {
      throw undecodable("its coding \(coding.prefix(40).debugDescription) was not asked for")
    }
    do throws(DecodingFailure) { return try ZlibFilter() } catch { throw ZlibFilter.error(error) }
  }
}

extension ResponseHead {
  /// Returns true if the body ends where the representation ends.
  /// - Parameter start: The number of bytes before the body that are already present.
  fileprivate func isWhole(after start: Int64) -> Bool {
    guard status == 206 else { return start == 0 }
    guard let range = ContentRange(self) else { return false }
    return range.start == start && range.end == range.total
  }
}

/// The filters of one body, in the order in which its bytes pass them. Output is produced on demand, so that
/// a small input that expands to a large output takes no more memory.
struct FilterChain {
  private struct Link {
    let filter: any BodyFilter
    var hasEnded = false
  }

  private var links: [Link]
  private var hasEnded = false
  /// True once the output is complete.
  private(set) var isExhausted = false

  /// - Parameter filters: At least one filter.
  init(_ filters: [any BodyFilter]) { links = filters.map { Link(filter: $0) } }

  /// The work to do before the next call; nil without work.
  var work: (@Sendable () async throws -> Void)? {
    for link in links {
      if let work = link.filter.work { return work }
    }
    return nil
  }

  func put(_ bytes: Data) throws { try links[0].filter.put(bytes) }

  /// Ends the input.
  mutating func end(_ trailers: HTTPFields?) {
    hasEnded = true
    if let trailers { for link in links { link.filter.put(trailers: trailers) } }
  }

  /// Returns the next bytes. Returns nil if it needs more input, if work has to be done first, or at the end.
  mutating func take() throws -> Data? {
    let bytes = try take(links.count - 1)
    isExhausted = bytes == nil && work == nil && links.allSatisfy(\.hasEnded)
    return bytes
  }

  private mutating func take(_ index: Int) throws -> Data? {
    while links[index].filter.work == nil {
      if let bytes = try links[index].filter.take() { return bytes }
      if links[index].hasEnded { return nil }
      let before = index - 1
      if before >= 0, let bytes = try take(before) {
        try links[index].filter.put(bytes)
        continue
      }
      guard before >= 0 ? links[before].hasEnded && links[before].filter.work == nil : hasEnded else {
        return nil
      }
      links[index].hasEnded = true
      try links[index].filter.end()
    }
    return nil
  }
}

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

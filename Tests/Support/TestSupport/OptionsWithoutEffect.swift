package import ErrandCore

/// A signer that adds no signature.
package struct NoSignature: RequestSigner {
  package let identity: String?

  package init(identity: String? = nil) { self.identity = identity }

  package func sign(_ request: inout OutgoingRequest) {}
}

/// A coding that does not change a body.
package struct NoCoding: BodyCoding {
  private struct Refused: Error {}
  package let name = "none"
  package let identity = "none"

  package init() {}

  package func begin() throws -> any BodyCodingAttempt { throw Refused() }
}

/// A filter that examines nothing.
package struct NoFilter: ResponseFilter {
  package let identity = "none"

  package init() {}

  package func prepare(_ fields: inout HTTPFields) {}
  package func begin(_ response: FilteredResponse) -> (any BodyFilter)? { nil }
}

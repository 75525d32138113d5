import ErrandCore
import ErrandTesting

/// Returns everything that a server receives except the body. `Host` and other fields that the transport adds
/// are the same as well.
func seen(_ request: MockRequest) -> [[UInt8]] {
  // As bytes, because Swift compares strings by canonical equivalence, and a server does not.
  (["\(request.method)", request.target] + request.fields.map { "\($0.name): \($0.value)" }).map {
    Array($0.utf8)
  }
}

import ErrandCore
import ErrandTesting

/// All that a server is told, but for the body; `Host` and its like come from the transport and are the same as well.
func seen(_ request: MockRequest) -> [[UInt8]] {
  // As bytes, because texts are the same to Swift that are not the same to a server.
  (["\(request.method)", request.target] + request.fields.map { "\($0.name): \($0.value)" }).map {
    Array($0.utf8)
  }
}

import ErrandCurl
import Testing

extension Trait where Self == ConditionTrait {
  /// Skips a test if libcurl is too old for HTTP/2. `scripts/test` runs these tests with a newer one, too.
  static var speaksHTTP2: Self {
    .enabled(if: CurlTransport.supportsHTTP2, "HTTP/2 needs libcurl 8.19 or later")
  }
}

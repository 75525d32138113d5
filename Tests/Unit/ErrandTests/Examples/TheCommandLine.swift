// swift-format-ignore-file
import Errand
import ErrandCurl

struct TheCommandLine {
  func inCode() async throws {
    var curl = CurlConfiguration()
    curl.tls.minimumVersion = .tls13                  // --tls-min 1.3
    let client = Client(transport: CurlTransport(configuration: curl))
    let request = Request.get("https://example.com", query: ["q": "cats"])   // -q q=cats
      .timeout(.seconds(5))                           // --timeout 5s
      .attempts(4)                                    // --retry 3
    print(request.curlCommand())                      // --curl
    try await client.send(request)
  }
}

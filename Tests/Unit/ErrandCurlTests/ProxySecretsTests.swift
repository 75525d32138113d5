import ErrandAuthentication
import Testing

@testable import ErrandCurl

@Suite struct ProxySecretsTests {
  @Test(arguments: [
    ("http://me:s3cret@proxy:3128", "Could not resolve proxy: proxy", true),
    ("http://me:s3cret@proxy:3128", "Bad login s3cret", false),
    ("http://me:s3cret@proxy:3128", "User me unknown", false),
    ("http://me:s3%63ret@proxy:3128", "Bad login s3cret", false),
    ("http://proxy:3128", "Failed: http://u@h", false),
    ("http://me:12/w@proxy", "Could not resolve proxy: me", false),
    ("http://me:12/w@proxy", "Anything at all", false),
    ("http://proxy:3128", "Failed to connect to proxy port 3128", true), ("", "Connection refused", true),
  ])
  func `a message is shown unless it may quote a secret of a proxy`(
    proxy: String, message: String, isShown: Bool
  ) {
    #expect(ProxySecrets(of: [proxy]).mayShow(message) == isShown)
  }

  @Test func `a message that may quote the credential for a proxy is not shown`() {
    let secrets = ProxySecrets(of: ["http://proxy:3128"], .digest(user: "ann", password: "s3cret"))
    #expect(!secrets.mayShow("Bad login s3cret") && !secrets.mayShow("User ann unknown"))
    #expect(secrets.mayShow("Failed to connect to proxy port 3128"))
    #expect(ProxySecrets(of: [], .basic(user: "ann", password: "")).mayShow("Connection refused"))
  }
}

// swift-format-ignore-file
import Errand
import ErrandCurl
import Foundation

struct SendingRequests {
  let photo: URL
  let token: String

  func simple() async throws {
    let client = Client()

    let user = try await client.send(.get("https://api.example.com/me")).decode(User.self)
    _ = user
  }

  func kinds(_ client: Client) async throws {
    // JSON, bytes, a file, or fields and files together: each body is a RequestBody
    try await client.send(.post("https://api.example.com/likes", json: Like(id: 7)))
    try await client.send(.put("https://api.example.com/photo", .file(photo)))
    let form = MultipartForm().field("title", "Cat").file("photo", at: photo)
    try await client.send(.post("https://api.example.com/photos", .multipart(form)))
  }

  func modifiers() -> Request {
    struct TooShort: Error {}

    let request = Request.get("https://api.example.com/feed", query: ["page": "2"])
      .bearer(token)
      .timeout(.seconds(5))       // an attempt ends when no byte has moved for this long; default: 10 s
      .deadline(.seconds(30))     // the whole call ends after this time; default: none
      .attempts(5)                // default: 3; .bestEffort() makes one attempt
      .expecting(contentType: "application/json")
      .validate { response in if response.data.count < 2 { throw TooShort() } }
    let marked = Request.get(feedURL).field("X-Session", token, isSecret: true)
    _ = marked
    return request
  }

  func defaultFields() -> Client {
    var configuration = ClientConfiguration()
    configuration.fields["User-Agent"] = "Shop/2.1"
    configuration.fields["Accept-Language"] = "de, en;q=0.5"
    let client = Client(configuration: configuration)
    return client
  }

  func accepted(_ client: Client) async throws {
    let found = try await client.send(.get(feedURL).accepting(200, 404))
    if found.status == 404 { print("the feed is empty") }
  }

  func cancellation(_ client: Client, _ request: Request) async {
    do {
      let response = try await client.send(request)
      print(response.text)
    } catch where error.isCancellation {
      // nothing to report: the result is not needed any more
    } catch {
      print(error)
    }
  }

  func errors(_ client: Client) async throws {
    do {
      try await client.send(.get("https://user:secret@api.example.com/?token=abc"))
    } catch let error as RequestError where error.code == .cannotResolveHost {
      // GET https://***@api.example.com/?token=***: the host api.example.com has no known address (attempt 3)
      print(error)
    }
    do {
      try await client.send(.post("https://api.example.com/orders", json: Like(id: 7)))
    } catch let error as RequestError where error.code == .rejected {
      print(error.status?.code ?? 0)              // 422
      print(error.fields?["X-Request-Id"] ?? "")  // the response's header fields
      print(error.bodyPrefix ?? Data())           // at most 64 KiB of its body
      print(error.serverWords ?? "")              // the server's explanation, one line
    }
  }

  func timing(_ client: Client) async throws {
    let timing = try await client.send(.get(feedURL)).timing
    print("\(timing.total) in all, \(timing.queue) of it waiting, \(timing.attempts) attempts")
  }

  func transport() {
    var curl = CurlConfiguration()
    curl.certificateAuthorityFile = "/etc/my-ca.pem"
    curl.hostOverrides = [.init(host: "api.example.com", port: 443, address: "10.0.0.7")]
    let client = Client(transport: CurlTransport(configuration: curl))
    _ = client
  }

  func pages(_ client: Client) async throws {
    struct Article: Decodable, Sendable {}

    var articles: [Article] = []
    for try await page in client.pages(of: .get("https://api.example.com/articles"), as: [Article].self) {
      articles += page
    }

    struct ArticlePage: Decodable {
      var articles: [Article]
      var next: String?
    }

    var cursor: String?
    repeat {
      var request = Request.get("https://api.example.com/articles")
      if let cursor { request = request.query("cursor", cursor) }
      let page = try await client.send(request).decode(ArticlePage.self)
      articles += page.articles
      cursor = page.next
    } while cursor != nil

    let response = try await client.send(.get("https://api.example.com/articles"))
    let last = response.link("last")?.url
    let formats = response.links.filter { $0.relations.contains("alternate") }.map { $0["type"] }
    _ = (last, formats)
  }

  func webhooks() -> CurlConfiguration {
    var webhooks = CurlConfiguration()
    webhooks.addressPolicy = .publicOnly
    webhooks.proxy = .none   // a proxy would look up hosts itself, so it is refused with a policy
    return webhooks
  }

  func onOneThread(_ transport: CurlTransport, _ client: Client, _ urls: [URL]) async throws {
    try await withTaskExecutorPreference(transport.executor) {
      for url in urls { try await client.send(.get(url)) }
    }
  }

  func tls(password: String) {
    var curl = CurlConfiguration()
    curl.tls.clientCertificate = ClientCertificate(file: "/etc/me.p12", password: password)
    curl.tls.minimumVersion = .tls13
    curl.tls.pins = ["*.example.com": ["sha256/47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="]]
    curl.proxy = .url("http://proxy.example.com:3128")
    curl.proxyCredential = .digest(user: "ann", password: password)
    _ = curl
  }
}

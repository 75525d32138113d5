// swift-format-ignore-file
// The README's examples, compiled. `ReadmeTests` checks that every one of them stands here word for word.
import Errand
import ErrandCurl
import Foundation

struct User: Decodable {}
struct Like: Encodable { var id: Int }
struct TooShort: Error {}
struct Signature: Interceptor {
  func intercept(_ request: Request, next: Next) async throws -> Response { try await next(request) }
}
func show(_ text: String) {}

struct ReadmeExamples {
  let photo: URL
  let file: URL
  let token: String

  func simple() async throws {
    let client = Client()

    let user = try await client.send(.get("https://api.example.com/me")).decode(User.self)
    _ = user
  }

  func kinds(_ client: Client) async throws {
    // JSON, a form, bytes, a file, or fields and files together: values of one type
    try await client.send(.post("https://api.example.com/likes", json: Like(id: 7)))
    try await client.send(.put("https://api.example.com/photo", .file(photo)))
    let form = MultipartForm().field("title", "Cat").file("photo", at: photo)
    try await client.send(.post("https://api.example.com/photos", .multipart(form)))

    // to a file: whole or not at all, and gone on with where it broke off
    try await client.download(.get("https://example.com/video.mp4"), to: file, resume: true) { progress in
      print(progress.received, progress.receivedTotal ?? -1)
    }

    // as it comes, no faster than you take it
    for try await chunk in try await client.stream(.get("https://example.com/log")).chunks {
      print(chunk.count)
    }
  }

  func modifiers() -> Request {
    let request = Request.get("https://api.example.com/feed", query: ["page": "2"])
      .bearer(token)
      .timeout(.seconds(5))       // a try ends when nothing moved for this long; 10 s if not given
      .deadline(.seconds(30))     // the whole call ends after this
      .tries(5)                   // 3 if not given; .bestEffort() is one
      .expecting(contentType: "application/json")
      .validate { answer in if answer.data.count < 2 { throw TooShort() } }
    return request
  }

  func cancellation(_ client: Client, _ request: Request) async {
    do {
      let answer = try await client.send(request)
      show(answer.text)
    } catch where error.isCancellation {
      // nobody waits any more: nothing to say
    } catch {
      show("\(error)")
    }
  }

  func errors(_ client: Client) async throws {
    do {
      try await client.send(.get("https://user:secret@api.example.com/?token=abc"))
    } catch let error as RequestError where error.code == .cannotResolveHost {
      print(error)  // GET https://***@api.example.com/?token=***: the host api.example.com has no known address (try 3)
    }
  }

  func interceptors() {
    var configuration = ClientConfiguration()
    configuration.retry = .tries(5)
    configuration.interceptors = [Language("de")]        // around the call, once
    configuration.attemptInterceptors = [Signature()]    // around each try, closest to the network
    let client = Client(configuration: configuration)

    struct Language: Interceptor {
      let code: String
      init(_ code: String) { self.code = code }

      func intercept(_ request: Request, next: Next) async throws -> Response {
        try await next(request.field("Accept-Language", code))
      }
    }
    _ = client
  }

  func transport() {
    var curl = CurlConfiguration()
    curl.certificateAuthorityFile = "/etc/my-ca.pem"
    curl.hostOverrides = [.init(host: "api.example.com", port: 443, address: "10.0.0.7")]
    let client = Client(transport: CurlTransport(configuration: curl))
    _ = client
  }
}

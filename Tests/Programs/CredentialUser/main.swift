import ErrandAuthentication
import ErrandCore
import ErrandCurl

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

// Sends requests with the credential of a file, `count` at once, and reports each round: CredentialUser file
// server name count rounds
let words = CommandLine.arguments
guard words.count == 6, let count = Int(words[4]), let rounds = Int(words[5]),
  let server = URL(string: words[2]),
  let tokenURL = URL(string: words[2] + "/token")
else { exit(2) }

@Sendable func say(_ line: String) {
  var bytes = Array((line + "\n").utf8)
  _ = write(1, &bytes, bytes.count)
}

let session = CredentialSession(
  OAuth2(tokenURL: tokenURL, clientID: words[3]), store: CredentialFile(at: URL(filePath: words[1])))
var configuration = ClientConfiguration()
configuration.baseURL = server
configuration.authentication = Authentication(session)
configuration.timeout = .seconds(60)
let client = Client(transport: CurlTransport(), configuration: configuration)

for _ in 0..<rounds {
  let good = await withTaskGroup(of: Bool.self) { group in
    for number in 0..<count {
      group.addTask {
        do {
          return try await client.send(.get("me?\(number)").attempts(1)).text == "\(number)"
        } catch {
          say("error \(error)")
          return false
        }
      }
    }
    var good = 0
    for await isGood in group where isGood { good += 1 }
    return good
  }
  say("right \(good)")
}

import ErrandCookies
import ErrandCore

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

// Sets one cookie after another in a file, and reports each written cookie: CookieWriter file host count
let words = CommandLine.arguments
guard words.count == 4, let count = Int(words[3]), let url = URL(string: "https://\(words[2])/") else {
  exit(2)
}

@Sendable func say(_ line: String) {
  var bytes = Array((line + "\n").utf8)
  _ = write(1, &bytes, bytes.count)
}

let store = CookieStore(file: URL(filePath: words[1]), limits: CookieLimits(perDomain: 500)) {
  say("problem \($0)")
}
do {
  for number in 0..<count {
    let padding = String(repeating: "x", count: .random(in: 0..<500))
    store.take(["Set-Cookie": "c\(number)=\(number) \(padding); Max-Age=1000"], from: url, at: Date())
    try await store.flush()
    say("\(number)")
  }
} catch {
  say("error \(error)")
  exit(1)
}

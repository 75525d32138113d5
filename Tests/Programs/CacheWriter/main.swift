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

// Caches one response after another in a folder, and reports each: CacheWriter folder limit first-number
let words = CommandLine.arguments
guard words.count == 4, let limit = Int(words[2]), var number = Int(words[3]) else { exit(2) }

@Sendable func say(_ line: String) {
  var bytes = Array((line + "\n").utf8)
  _ = write(1, &bytes, bytes.count)
}

let store = DiskResponseCache(folder: URL(filePath: words[1]), limit: limit) { say("problem \($0)") }
guard let url = URL(string: "https://example.com/") else { exit(2) }
do {
  while true {
    let name = "key \(Int.random(in: 0..<5))"
    let body = String(repeating: "\(name) \(number)\n", count: .random(in: 0..<4000))
    let response = CachedResponse(
      status: 200, fields: ["Number": "\(number)"], data: Data(body.utf8), url: url, date: Date())
    try await store.write(response, under: CacheKey(name))
    say("\(name) \(number)")
    number += 1
  }
} catch {
  say("error \(error)")
  exit(1)
}

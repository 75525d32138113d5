import ErrandCore
import ErrandCurl

let client = Client(transport: CurlTransport())
let r = try await client.send(.get(CommandLine.arguments[1]))
print(r.status, r.timing, r.fields)
print(r.text.prefix(300))

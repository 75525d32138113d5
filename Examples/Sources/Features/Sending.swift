import Errand
import ErrandTesting
import Foundation

private struct User: Codable {
  var id: Int
  var name: String
}

/// JSON there and back, below a base URL, with errors that say what happened.
@Sendable func sending(_ server: MockServer) async throws {
  server.on("GET", "/v1/users/7") { _ in .response(json: User(id: 7, name: "Ann")) }
  server.on("POST", "/v1/users") { request in .response(status: 201, body: request.body) }

  let client = Client(baseURL: server.url("/v1"))
  let user = try await client.send(.get(.path("users/\(7)")), as: User.self)
  try show("the user with the id 7 is \(user.name)", user.name == "Ann")

  let response = try await client.send(.post("users", json: User(id: 8, name: "Ben")))
  try show("the new user: \(response.status), \(response.text)", response.status == 201)

  do {
    try await client.send(.get("nobody"))
  } catch let error as RequestError {
    try show("\(error.message)", error.status == 404)
  }
}

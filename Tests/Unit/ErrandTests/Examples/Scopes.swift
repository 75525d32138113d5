// swift-format-ignore-file
import Errand
import Foundation

@MainActor final class Profile: RequestOwner {
  let requests = RequestScope("profile")
  var name = ""

  func load(_ client: Client) {
    client.send(.get("https://api.example.com/me"), for: self) { profile, result in
      profile.name = (try? result.get().text) ?? ""
    }
  }
}

@MainActor private final class OwnerByHand {
  let requests = RequestScope("profile")
  var name = ""

  func trap(_ client: Client) {
    requests.task { [weak self] in
      guard let self else { return }                          // holds the owner ...
      name = try await client.send(.get(profileURL)).text     // ... for as long as this takes
    }
  }

  func right(_ client: Client) {
    requests.task { [weak self] in
      let response = try await client.send(.get(profileURL))
      self?.name = response.text
    }
  }
}

struct Scopes {
  func single(_ client: Client) async throws {
    let page = RequestScope("profile")
    let photo = try await client.send(.get(photoURL), in: page)
    _ = photo
    page.cancel(reason: .other("the user signed out"))
  }

  func nested() {
    let app = RequestScope("app")
    let session = RequestScope("signed in", in: app)
    let profile = RequestScope("profile", in: session)
    session.end()   // the user signed out: profile has ended as well, app has not
    _ = profile
  }

  func navigation() {
    let stack = ScopeStack("shop")
    let list = stack.push("list")
    let item = stack.push("item")
    let cart = stack.present("cart")
    cart.push("payment")
    stack.dismiss()   // ends the cart and its payment page
    stack.pop()       // ends item
    _ = (list, item)
  }

  func block(_ client: Client) async throws {
    try await withRequestScope("import") { scope in
      scope.task { try await client.send(.get(photoURL)) }
      try await client.send(.get(feedURL), in: scope)
    }
  }
}

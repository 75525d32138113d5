/// An object whose requests end with it: a page, a view model, a service.
///
/// Keep a scope in a property. When the owner goes away so does the scope, and what is in it is called off; `requests.end()`
/// chooses an earlier moment. Then let the client hand the result to the owner, if it is still there:
///
/// ```swift
/// @MainActor final class Profile: RequestOwner {
///   let requests = RequestScope("profile")
///   var name = ""
///
///   func load() {
///     client.send(.get(url), for: self) { profile, result in
///       profile.name = (try? result.get().text) ?? ""
///     }
///   }
/// }
/// ```
///
/// Nothing there keeps the owner alive: the closure is handed it, so it need not capture `self`.
///
/// ## The trap
///
/// Written by hand it is easy to get wrong. Whoever holds the owner, or its scope, while the answer is awaited keeps it
/// alive, so that its end never comes and nothing is ever called off:
///
/// ```swift
/// requests.task { [weak self] in
///   guard let self else { return }                          // holds the owner ...
///   name = try await client.send(.get(url)).text            // ... for as long as this takes
/// }
/// ```
///
/// `await self?.load()` and `client.send(request, in: self.requests)` in an awaiting task hold on in the same way. Take hold
/// of the owner after the wait:
///
/// ```swift
/// requests.task { [weak self, client, url] in
///   let answer = try await client.send(.get(url))
///   self?.name = answer.text
/// }
/// ```
public protocol RequestOwner: AnyObject {
  /// What the owner's requests are put in. A stored `let`: one that is made when it is first asked for may be made twice.
  var requests: RequestScope { get }
}

/// An object whose requests end with it: a page, a view model, a service.
///
/// Store a scope in a property. When the owner is deallocated, so is the scope, and the requests in it are
/// cancelled; `requests.end()` cancels them earlier. Let the client pass the result to the owner, if the
/// owner still exists:
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
/// This does not keep the owner alive: the closure receives the owner, so it need not capture `self`.
///
/// ## The trap
///
/// Code that holds the owner, or its scope, while it awaits the response keeps the owner alive. Its scope
/// then never ends, and no request is cancelled:
///
/// ```swift
/// requests.task { [weak self] in
///   guard let self else { return }                          // holds the owner ...
///   name = try await client.send(.get(url)).text            // ... for as long as this takes
/// }
/// ```
///
/// `await self?.load()`, and `client.send(request, in: self.requests)` in a task that awaits it, hold the
/// owner in the same way. Use the owner only after the wait:
///
/// ```swift
/// requests.task { [weak self, client, url] in
///   let response = try await client.send(.get(url))
///   self?.name = response.text
/// }
/// ```
public protocol RequestOwner: AnyObject {
  /// The scope of the owner's requests. Use a stored `let`: a lazy property may be created twice.
  var requests: RequestScope { get }
}

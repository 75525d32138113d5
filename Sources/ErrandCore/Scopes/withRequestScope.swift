/// Runs `body` with a scope that ends with it: when it returns, when it throws, and at once when its task is
/// cancelled.
///
/// ```swift
/// let user = try await withRequestScope("sign in") { scope in
///   scope.task { try await client.send(.get(avatarURL)) }
///   return try await client.send(.get(userURL)).decode(User.self)
/// }
/// // Here the avatar has arrived, or its request has been cancelled.
/// ```
/// - Parameters:
///   - name: The name of the scope in reasons and messages.
///   - parent: The scope that this one ends with as well.
public func withRequestScope<Success, Failure: Error>(
  _ name: String = "", in parent: RequestScope? = nil,
  _ body: (RequestScope) async throws(Failure) -> Success
) async throws(Failure) -> Success {
  let scope = RequestScope(name, in: parent)
  defer { scope.end() }
  let outcome: Result<Success, Failure> = await withTaskCancellationHandler {
    do throws(Failure) {
      return .success(try await body(scope))
    } catch {
      return .failure(error)
    }
  } onCancel: {
    scope.cancel(reason: .taskCancelled)
  }
  return try outcome.get()
}

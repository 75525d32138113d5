/// Makes a request's credential anew for the target of a redirect within its origin. Two are equal only if they are the
/// same object.
final class RedirectCredential: Sendable, Hashable {
  let renew: @Sendable (inout Request) -> Void

  init(_ renew: @escaping @Sendable (inout Request) -> Void) { self.renew = renew }

  static func == (left: RedirectCredential, right: RedirectCredential) -> Bool { left === right }
  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// The options of a request that concern its signature.
struct SigningOptions: Sendable, Hashable {
  var own: OwnSigner?
  /// Signers that only describe the request, such as with a digest. They run before the request's or the
  /// client's signer.
  var digests: [OnlyItself<any RequestSigner>] = []
  var pass: SigningPass?
}

/// The state of a request that the last stage needs: whether its signature is for its target, and which
/// redirects led to it.
struct SigningPass: Sendable, Hashable {
  /// False once a redirect has led to another origin, which is not signed for.
  var isSigned = true
  /// The number of redirects that the attempt has followed.
  var followed = 0
  /// The time at which the attempt began; nil before.
  var began: Duration?
}

/// A request's own signer. Two are equal only if they are the same object.
final class OwnSigner: Sendable, Hashable {
  let signer: any RequestSigner
  /// Tells the signer from others that have no name.
  private let number = UInt64.random(in: 0...(.max))

  init(_ signer: any RequestSigner) { self.signer = signer }

  var identity: String { signer.identity.map(Self.text(of:)) ?? "by \(number)" }

  static func text(of identity: String) -> String { "as \(identity)" }

  static func == (left: OwnSigner, right: OwnSigner) -> Bool { left === right }
  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

import BenchmarkSupport
import ErrandCore
@_spi(Benchmarks) import ErrandSigning
import Foundation
import PlainCrypto

// Measures the cost of signing a request with RFC 9421: four components with a creation time, a key ID and an
// expiry time. It is compared with the same operation of libcrypto over the same bytes.

let url = URL(string: "https://api.example.com/v1/orders/1234567/lines?page=2&limit=50")
let digest = "sha-256=:X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE=:"
let components: [MessageComponent] = [.method, .targetURI, .contentDigest, "content-type"]

func request() throws -> OutgoingRequest {
  guard let url else { throw Arguments.Wrong(description: "the URL is not valid") }
  return OutgoingRequest(
    .post, url,
    fields: [
      "Accept": "application/json", "User-Agent": "Errand/0.1", "Content-Type": "application/json",
      "Content-Digest": digest,
    ], date: Date(timeIntervalSince1970: 1_618_884_473))
}

/// Returns the processor time of one run of `work` in nanoseconds.
func cost(_ count: Int, _ work: () async throws -> Void) async rethrows -> Double {
  let begin = ProcessUsage.cpuSeconds
  for _ in 0..<count { try await work() }
  return (ProcessUsage.cpuSeconds - begin) / Double(count) * 1e9
}

/// Returns a closure that signs with libcrypto, and checks only that this succeeds.
func bareEd25519(_ secret: [UInt8], _ base: [UInt8]) -> () throws -> Void {
  let key = plain_ed25519_key(secret)
  var signature = [UInt8](repeating: 0, count: 64)
  return {
    guard plain_ed25519_sign(key, base, base.count, &signature) == 1 else {
      throw Arguments.Wrong.noSignature
    }
  }
}

func bareHMAC(_ secret: [UInt8], _ base: [UInt8]) -> () throws -> Void {
  var code = [UInt8](repeating: 0, count: 32)
  return {
    guard plain_hmac_sha256(secret, secret.count, base, base.count, &code) == 1 else {
      throw Arguments.Wrong.noSignature
    }
  }
}

extension Arguments.Wrong {
  static let noSignature = Arguments.Wrong(description: "libcrypto failed to sign")
}

func measure(
  _ name: String, _ key: any SigningKey, _ bare: (_ base: [UInt8]) -> () throws -> Void, count: Int,
  rounds: Int,
  nonce: MessageSigner.Nonce
) async throws {
  let signer = try MessageSigner(key, covering: components, nonce: nonce)
  let request = try request()
  let message = SignableMessage(request.method, request.url, fields: request.fields)
  let signature = try await signer.signature(of: message, at: request.date)
  let base = Array(try message.signatureBase(for: signature.parameters))
  let reference = bare(base)
  var (own, others, bases) = ([Double](), [Double](), [Double]())
  for round in 0...rounds {
    let costs = try await (
      cost(count) {
        var request = request
        try await signer.sign(&request)
      }, cost(count) { try reference() },
      cost(count) { _ = try message.signatureBase(for: signature.parameters) }
    )
    // The first round warms up.
    guard round > 0 else { continue }
    own.append(costs.0)
    others.append(costs.1)
    bases.append(costs.2)
  }
  print(
    "  \(name.left(30))\(Statistics.median(own).fixed(0).right(8))\(Statistics.median(others).fixed(0).right(11))"
      + "\(Statistics.median(bases).fixed(0).right(11))\(Statistics.medianRatio(own, others).fixed(2).right(9))"
  )
}

do {
  let arguments = try Arguments(["rounds", "count", "what"])
  let rounds = try arguments.number("rounds", default: 5)
  let count = try arguments.number("count", default: 4000)
  let what = arguments["what"]
  let secret = (0..<32).map { UInt8($0) }
  let jwk = #"""
    {"kty":"OKP","crv":"Ed25519","kid":"key-1","d":"AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8",
    "x":"A6EHv_POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg"}
    """#
  let ed25519 = try PrivateKey(jwk: Data(jwk.utf8)).signingKey()
  let shared = try SharedKey(Data(secret), keyID: "key-1")
  print("signing four components, ns of processor time, medians of \(rounds) rounds (ratio at most 1.5)")
  print("  \("".left(30))  signer  libcrypto       base    ratio")
  for nonce in [MessageSigner.Nonce.none, .random] {
    let suffix = nonce == .none ? "" : ", random nonce"
    if what != "hmac-sha256" {
      try await measure(
        "ed25519\(suffix)", ed25519, { bareEd25519(secret, $0) }, count: count, rounds: rounds, nonce: nonce)
    }
    if what != "ed25519" {
      try await measure(
        "hmac-sha256\(suffix)", shared, { bareHMAC(secret, $0) }, count: count * 20, rounds: rounds,
        nonce: nonce)
    }
  }
} catch {
  FileHandle.standardError.write(Data("signatures: \(error)\n".utf8))
  exit(1)
}

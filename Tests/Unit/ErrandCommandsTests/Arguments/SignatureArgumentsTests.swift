import ErrandCore
import ErrandSigning
import Testing

@testable import ErrandCommands

@Suite struct SignatureArgumentsTests {
  private func signatures(_ arguments: String...) throws -> SignatureArguments {
    guard case .transfer(let transfer) = try Invocation(["post", "http://a"] + arguments) else {
      throw UsageError("it is not a transfer")
    }
    return transfer.signatures
  }

  @Test func `each option is parsed`() throws {
    #expect(try signatures() == SignatureArguments())
    let given = try signatures(
      "--sign", "k.pem", "--key-id", "ann", "--cover",
      "@method, Content-Digest,\"@query-param\";name=\"a\",x;key=\"b,c\"",
      "--verify", "s.pem", "--verify-cover", "@status,@path;req", "--verify-age", "10m")
    #expect(given.key == "k.pem" && given.keyID == "ann" && given.verificationKey == "s.pem")
    #expect(given.components == [.method, .contentDigest, .queryParameter("a"), .field("x").member("b,c")])
    #expect(given.verifiedComponents == [.status, .path.ofRequest])
    #expect(given.verificationAge == .seconds(600))
    #expect(try signatures("--sign", "k", "--bearer", "t").key == "k", "A token and a signature go together.")
  }

  @Test(arguments: [
    ["--sign", ""], ["--verify", ""], ["--key-id", "a"], ["--cover", "@method"],
    ["--sign", "k", "--key-id", ""],
    ["--sign", "k", "--key-id", "é"], ["--sign", "k", "--key-id", "a\nb"], ["--sign", "k", "--cover", ""],
    ["--sign", "k", "--cover", "@nothing"], ["--sign", "k", "--cover", "@method,"],
    ["--sign", "k", "--cover", "x;tr"], ["--sign", "k", "--cover", "a b"],
    ["--sign", "k", "--aws-sigv4", "r:s"], ["--sign", "k", "--guaranteed"],
    ["--verify", "k", "--guaranteed"],
    ["--verify", "k", "-o", "f"], ["--verify-cover", "@status"], ["--verify-age", "10s"],
    ["--verify", "k", "--verify-cover", ""], ["--verify", "k", "--verify-cover", "@nothing"],
    ["--verify", "k", "--verify-age", "0"], ["--verify", "k", "--verify-age", "x"],
  ])
  func `incorrect use is a usage error`(arguments: [String]) {
    #expect(throws: UsageError.self) { try Invocation(["post", "http://a"] + arguments) }
  }

  @Test func `verification is refused for a download`() {
    #expect(throws: UsageError.self) { try Invocation(["download", "http://a/b", "--verify", "k"]) }
  }
}

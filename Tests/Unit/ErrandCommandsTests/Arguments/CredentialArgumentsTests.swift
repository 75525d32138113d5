import ErrandAuthentication
import ErrandCore
import Testing

@testable import ErrandCommands

@Suite struct CredentialArgumentsTests {
  private func credentials(_ arguments: String...) throws -> CredentialArguments {
    guard case .transfer(let transfer) = try Invocation(["post", "http://a"] + arguments) else {
      throw UsageError("it is not a transfer")
    }
    return transfer.credentials
  }

  @Test func `each option is parsed`() throws {
    #expect(try credentials().scheme == nil)
    #expect(try credentials("-u", "ann:a:b").scheme == .user("ann", password: SecretText("a:b")))
    #expect(try credentials("--user=ann:").scheme == .user("ann", password: SecretText("")))
    #expect(try credentials("--bearer", "a.b~c==").scheme == .bearer(SecretText("a.b~c==")))
    #expect(try credentials("--bearer", "@f").scheme == .bearerFile(path: "f"))
    #expect(try credentials("--netrc", "--digest").scheme == .netrc)
    #expect(try credentials("--netrc", "--digest").usesDigest)
    #expect(
      try credentials("--aws-sigv4", "eu-central-1:s3").scheme == .aws(region: "eu-central-1", service: "s3"))
    #expect(try credentials("--cookies", "f").cookies == "f")
  }

  @Test(arguments: [
    ["-u", ":secret"], ["-u", ""], ["-u", "ann:se\ncret"], ["-u", "a\u{7F}:b"],
    ["-u", "a:b", "-u", "c:d"], ["-u", "a:b", "--bearer", "t"], ["-u", "a:b", "--netrc"],
    ["--netrc", "--aws-sigv4", "r:s"], ["--bearer", "t", "--aws-sigv4", "r:s"],
    ["--bearer", ""], ["--bearer", "@"], ["--bearer", "two words"], ["--bearer", "a\nb"], ["--bearer", "é"],
    ["--digest"], ["--digest", "--bearer", "t"], ["--cookies", ""],
    ["--aws-sigv4", ""], ["--aws-sigv4", "s3"], ["--aws-sigv4", ":s3"], ["--aws-sigv4", "r:"],
    ["--aws-sigv4", "aws:amz:r:s3"], ["--aws-sigv4", "r r:s3"], ["--aws-sigv4", "r/r:s3"],
    ["-u", "a:b", "-H", "authorization: x"], ["--bearer", "t", "-H", "Authorization: x"],
    ["--guaranteed", "--digest", "-u", "a:b"], ["--guaranteed", "--aws-sigv4", "r:s"],
    ["--guaranteed", "--cookies", "f"],
  ])
  func `incorrect use is a usage error`(arguments: [String]) {
    #expect(throws: UsageError.self) { try Invocation(["post", "http://a"] + arguments) }
  }

  @Test(arguments: [
    ["--bearer", "mk0f 1e2d"], ["-u", "ann:mk0f\n1e2d"], ["-u", ":mk0f1e2d"],
  ])
  func `an error shows no secret`(arguments: [String]) {
    do {
      _ = try Invocation(["post", "http://a"] + arguments)
      Issue.record("It was accepted.")
    } catch {
      #expect(!"\(error.message) \(error.hint ?? "")".contains("mk0f"))
    }
  }

  @Test func `no description shows a secret`() throws {
    let credentials = try credentials("-u", "ann:mk0f1e2d")
    var shown = "\(credentials) \(String(reflecting: credentials))"
    dump(credentials, to: &shown)
    #expect(!shown.contains("mk0f1e2d"))
  }
}

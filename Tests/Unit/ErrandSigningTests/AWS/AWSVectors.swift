import ErrandCore
import Foundation
import Testing

@testable import ErrandSigning

/// Requests and signatures of the test suite that AWS publishes for Signature Version 4 (aws-signing-test-suite, v4).
struct AWSVector: Sendable, CustomTestStringConvertible {
  let name: String
  /// The method and the target as in the suite, where targets are not encoded.
  let method: HTTPMethod
  let target: String
  var fields: [(String, String)] = []
  var body = ""
  var isNormalized = true
  let signature: String

  var testDescription: String { name }

  static let time = Date(timeIntervalSince1970: 1_440_938_160)
  static let scope = try? AWSScope(region: "us-east-1", service: "service")
  static let token = "6e86291e8372ff2a2260956d9b8aae1d763fbf315fa00fa31553b73ebf194267"

  static func credentials(token: String? = nil) throws -> AWSCredentials {
    try AWSCredentials(
      accessKeyID: "AKIDEXAMPLE", secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
      sessionToken: token)
  }
}

extension AWSVector {
  private static let unreserved = "-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
  private static let longToken =
    "AQoDYXdzEPT//////////wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRqTflfKD8YUuw"
    + "thAx7mSEI/qkPpKPi/kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHN"
    + "VXAkiY9q6d+xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/oLx"
    + "BA=="
  private static let formDigest = "9095672bbd1f56dfc5b65f3e153adc8731a4a654192329106275f4c7b24d0b6e"

  static let all: [AWSVector] = [
    AWSVector(
      name: "get-vanilla", method: .get, target: "/",
      signature: "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
    AWSVector(
      name: "get-header-key-duplicate", method: .get, target: "/",
      fields: [("My-Header1", "value2"), ("My-Header1", "value2"), ("My-Header1", "value1")],
      signature: "c9d5ea9f3f72853aea855b47ea873832890dbdd183b4468f858259531a5138ea"),
    // The suite treats each line of a folded value as a separate value; a folded value cannot be sent.
    AWSVector(
      name: "get-header-value-multiline", method: .get, target: "/",
      fields: [("My-Header1", "value1"), ("My-Header1", "value2"), ("My-Header1", "value3")],
      signature: "ba17b383a53190154eb5fa66a1b836cc297cc0a3d70a5d00705980573d8ff790"),
    AWSVector(
      name: "get-header-value-order", method: .get, target: "/",
      fields: [
        ("My-Header1", "value4"), ("My-Header1", "value1"), ("My-Header1", "value3"),
        ("My-Header1", "value2"),
      ],
      signature: "08c7e5a9acfcfeb3ab6b2185e75ce8b1deb5e634ec47601a50643f830c755c01"),
    AWSVector(
      name: "get-header-value-trim", method: .get, target: "/",
      fields: [("My-Header1", " value1"), ("My-Header2", " \"a   b   c\"")],
      signature: "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736"),
    AWSVector(
      name: "get-relative-normalized", method: .get, target: "/example/..",
      signature: "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
    AWSVector(
      name: "get-relative-unnormalized", method: .get, target: "/example/..", isNormalized: false,
      signature: "eca7ead57bb5aa5c8e28007acd4ff04e1ff9a0ff3b237ec1554a184887ff9282"),
    AWSVector(
      name: "get-relative-relative-normalized", method: .get, target: "/example1/example2/../..",
      signature: "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
    AWSVector(
      name: "get-relative-relative-unnormalized", method: .get, target: "/example1/example2/../..",
      isNormalized: false,
      signature: "dc33e0856fd4baca4d7aa2146c38958283844764f38c74252a333df5e613003b"),
    AWSVector(
      name: "get-slash-normalized", method: .get, target: "//",
      signature: "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
    AWSVector(
      name: "get-slash-dot-slash-normalized", method: .get, target: "/./",
      signature: "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
    AWSVector(
      name: "get-slash-pointless-dot-normalized", method: .get, target: "/./example",
      signature: "ef75d96142cf21edca26f06005da7988e4f8dc83a165a80865db7089db637ec5"),
    AWSVector(
      name: "get-slashes-normalized", method: .get, target: "//example//",
      signature: "9a624bd73a37c9a373b5312afbebe7a714a789de108f0bdfe846570885f57e84"),
    AWSVector(
      name: "get-slashes-unnormalized", method: .get, target: "//example//", isNormalized: false,
      signature: "87cca117541a147f6df867677d98a7d80dff226d2bfca9e4ffa899665623c7e5"),
    AWSVector(
      name: "get-space-normalized", method: .get, target: "/example space/",
      signature: "652487583200325589f1fba4c7e578f72c47cb61beeca81406b39ddec1366741"),
    AWSVector(
      name: "get-unreserved", method: .get, target: "/\(unreserved)",
      signature: "07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f"),
    AWSVector(
      name: "get-utf8", method: .get, target: "/ሴ",
      signature: "8318018e0b0f223aa2bbf98705b62bb787dc9c0e678f255a891fd03141be5d85"),
    AWSVector(
      name: "get-vanilla-empty-query-key", method: .get, target: "/?Param1=value1",
      signature: "a67d582fa61cc504c4bae71f336f98b97f1ea3c7a6bfe1b6e45aec72011b9aeb"),
    AWSVector(
      name: "get-vanilla-query-order-encoded", method: .get,
      target: "/?Param-3=Value3&Param=Value2&%E1%88%B4=Value1",
      signature: "371d3713e185cc334048618a97f809c9ffe339c62934c032af5a0e595648fcac"),
    AWSVector(
      name: "get-vanilla-query-order-key-case", method: .get, target: "/?Param2=value2&Param1=value1",
      signature: "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"),
    AWSVector(
      name: "get-vanilla-query-unreserved", method: .get, target: "/?\(unreserved)=\(unreserved)",
      signature: "9c3e54bfcdf0b19771a7f523ee5669cdf59bc7cc0884027167c21bb143a40197"),
    AWSVector(
      name: "get-vanilla-utf8-query", method: .get, target: "/?ሴ=bar",
      signature: "2cdec8eed098649ff3a119c94853b13c643bcf08f8b0a1d91e12c9027818dd04"),
    AWSVector(
      name: "get-vanilla-with-session-token", method: .get, target: "/",
      fields: [("X-Amz-Security-Token", token)],
      signature: "07ec1639c89043aa0e3e2de82b96708f198cceab042d4a97044c66dd9f74e7f8"),
    AWSVector(
      name: "post-vanilla", method: .post, target: "/",
      signature: "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"),
    AWSVector(
      name: "post-vanilla-query", method: .post, target: "/?Param1=value1",
      signature: "28038455d6de14eafc1f9222cf5aa6f1a96197d7deb8263271d420d138af7f11"),
    AWSVector(
      name: "post-header-key-sort", method: .post, target: "/", fields: [("My-Header1", "value1")],
      signature: "c5410059b04c1ee005303aed430f6e6645f61f4dc9e1461ec8f8916fdf18852c"),
    AWSVector(
      name: "post-header-value-case", method: .post, target: "/", fields: [("My-Header1", "VALUE1")],
      signature: "cdbc9802e29d2942e5e10b5bccfdd67c5f22c7c4e8ae67b53629efa58b974b7d"),
    AWSVector(
      name: "post-sts-header-before", method: .post, target: "/",
      fields: [("X-Amz-Security-Token", longToken)],
      signature: "85d96828115b5dc0cfc3bd16ad9e210dd772bbebba041836c64533a82be05ead"),
    AWSVector(
      name: "post-x-www-form-urlencoded", method: .post, target: "/",
      fields: [
        ("Content-Type", "application/x-www-form-urlencoded"), ("Content-Length", "13"),
        ("x-amz-content-sha256", formDigest),
      ],
      body: "Param1=value1",
      signature: "d3875051da38690788ef43de4db0d8f280229d82040bfac253562e56c3f20e0b"),
    AWSVector(
      name: "post-x-www-form-urlencoded-parameters", method: .post, target: "/",
      fields: [
        ("Content-Type", "application/x-www-form-urlencoded; charset=utf-8"), ("Content-Length", "13"),
        ("x-amz-content-sha256", formDigest),
      ],
      body: "Param1=value1",
      signature: "328d1b9eaadca9f5818ef05e8392801e091653bafec24fcab71e7344e7f51422"),
  ]
}

import ErrandCore
import Foundation
import Testing

@testable import ErrandUploads

/// The fields of responses that concern uploads.
@Suite struct UploadFactsTests {
  private func facts(_ fields: HTTPFields) -> UploadFacts { facts(204, fields) }

  private func facts(_ status: Int, _ fields: HTTPFields, body: String = "") -> UploadFacts {
    UploadFacts(
      ResponseHead(status: HTTPStatus(status), fields: fields), body: Data(body.utf8),
      date: Date(timeIntervalSince1970: 1000))
  }

  @Test func `offsets are numbers that are not negative, and everything else counts as missing`() {
    #expect(facts(["Upload-Offset": "25"]).offset == 25)
    #expect(facts(["Upload-Offset": " 25 ", "upload-offset": "25"]).offset == 25)
    for bad in ["-1", "", "1.5", "?1", "abc", "99999999999999999999", "1, 2", "0x1F"] {
      #expect(facts(["Upload-Offset": bad]).offset == nil, "\(bad)")
    }
    #expect(facts(["Upload-Offset": "1", "upload-offset": "2"]).offset == nil)
  }

  @Test func `completeness is read in each version's field`() {
    #expect(facts(["Upload-Complete": "?1"]).isComplete == true)
    #expect(facts(["Upload-Complete": "?0"]).isComplete == false)
    #expect(facts(["Upload-Incomplete": "?0"]).isComplete == true)
    #expect(facts(["Upload-Incomplete": "?1"]).isComplete == false)
    #expect(facts(["Upload-Complete": "true"]).isComplete == nil)
    #expect(facts(["Upload-Complete": "?1", "upload-complete": "?0"]).isComplete == nil)
  }

  @Test func `limits are a dictionary, whose unknown members do not matter`() {
    let limited = facts([
      "Upload-Limit": "max-size=10, min-append-size=2, max-append-size=5, max-age=60, x=?1"
    ])
    #expect(limited.limits == UploadLimits(maxSize: 10, minSize: nil, maxAppendSize: 5, minAppendSize: 2))
    #expect(limited.expires == Date(timeIntervalSince1970: 1060))
    #expect(facts(["Upload-Limit": "max-size=big"]).limits == nil)
    #expect(facts(["Upload-Limit": "max-size=-1"]).limits == nil)
    #expect(facts(["Upload-Limit": "=,"]).limits == nil)
    #expect(facts(["Upload-Limit": "expires=60"]).expires == Date(timeIntervalSince1970: 1060))
  }

  @Test func `the protocol is the one that the response names`() {
    #expect(facts(["Tus-Resumable": "1.0.0"]).dialect == .tus)
    #expect(facts(["Upload-Draft-Interop-Version": "6"]).dialect == .ietf(6))
    #expect(facts(["Upload-Draft-Interop-Version": "99"]).dialect == nil)
    #expect(facts(412, ["Tus-Version": "0.2.2"]).hasOtherTus)
    #expect(facts(204, ["Tus-Resumable": "1.0.0", "tus-resumable": "2.0.0"]).hasOtherTus)
    #expect(facts(204, ["Tus-Resumable": "1.0.0", "tus-resumable": "2.0.0"]).dialect == nil)
    #expect(!facts(412, ["Tus-Version": "1.0.0,0.2.2"]).hasOtherTus)
    #expect(facts(["Tus-Max-Size": "7"]).limits?.maxSize == 7)
  }

  @Test func `problems name the offset`() {
    let type = "https://iana.org/assignments/http-problem-types#mismatching-upload-offset"
    let conflict = facts(
      409, ["Content-Type": "application/problem+json"],
      body: #"{"type": "\#(type)", "expected-offset": 12, "provided-offset": 25}"#)
    #expect(conflict.problem == .mismatchingOffset && conflict.offset == 12)
    let broken = facts(409, ["Content-Type": "application/problem+json"], body: #"{"type": 1"#)
    #expect(broken.problem == nil && broken.offset == nil)
  }
}

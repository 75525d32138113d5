import ErrandCore
import Foundation
import Testing

@testable import ErrandSigning

@Suite struct AWSRefusalTests {
  @Test(arguments: [
    ("<Error><Code>RequestTimeTooSkewed</Code><Message>The difference …</Message></Error>", AWSRefusal.time),
    ("{\"__type\":\"com.amazon.coral.service#InvalidSignatureException\",\"message\":\"…\"}", .signature),
    (
      "{\"message\":\"Signature expired: 20150830T123600Z is now earlier than 20150830T130100Z\"}", .time
    ),
    ("{\"message\":\"Signature not yet current: 20150830T123600Z is still later than …\"}", .time),
    ("<Error><Code>SignatureDoesNotMatch</Code></Error>", .signature),
    ("<Response><Errors><Error><Code>RequestExpired</Code></Error></Errors></Response>", .time),
    ("<Response><Errors><Error><Code>AuthFailure</Code></Error></Errors></Response>", .signature),
    ("<Error><Code>AccessDenied</Code></Error>", .none), ("MyRequestExpired", .none),
    ("RequestExpiredLater", .none),
    ("RequestTimeTooSkewe", .none), ("{}", .none),
  ])
  func `the error's document gives the reason why a signature was refused`(
    document: String, refusal: AWSRefusal
  ) {
    for status in [400, 401, 403] as [HTTPStatus] {
      #expect(AWSRefusal(status, [:], Data(document.utf8)) == refusal)
    }
    for status in [200, 404, 500, 503] as [HTTPStatus] {
      #expect(AWSRefusal(status, [:], Data(document.utf8)) == .none)
    }
  }

  @Test func `the error's header field gives the reason, and for HEAD the status does`() {
    let field: HTTPFields = ["x-amzn-ErrorType": "InvalidSignatureException:http://internal.amazon.com/"]
    #expect(AWSRefusal(400, field, Data("{}".utf8)) == .signature)
    #expect(AWSRefusal(403, [:], Data()) == .signature)
    #expect(AWSRefusal(400, [:], Data()) == .none)
    #expect(AWSRefusal(401, [:], Data()) == .none)
  }

  @Test func `only the beginning of a long document is read`() {
    let late = Data(repeating: 0x20, count: 1 << 20) + Data("RequestTimeTooSkewed".utf8)
    #expect(AWSRefusal(403, [:], late) == .none)
    #expect(AWSRefusal(403, [:], Data(late.suffix(1000))) == .time)
    // A slice of data keeps its indices.
    #expect(AWSRefusal(403, [:], late.suffix(1000)) == .time)
  }
}

import ErrandCore
import ErrandTesting
import Foundation
import Testing

@testable import ErrandOutbox

@Suite struct StoredRequestCodingTests {
  private static let name = "\(String(repeating: "ab", count: 32)).id-1.0123456789abcdef"

  private var sample: StoredRequest {
    var fields: HTTPFields = [:]
    fields.append("X-A", "1")
    fields.append("x-a", "zwei ä")
    return StoredRequest(
      method: "PATCH", url: "https://example.com/a?b=c", fields: fields,
      body: StoredBody(
        kind: .multipart, contentType: "multipart/form-data; boundary=B",
        segments: [.bytes(.seeded(100)), .file(name: Self.name, length: 77), .bytes(Data("end".utf8))]),
      options: StoredOptions(RequestOptions()))
  }

  private func failure(_ data: Data) -> OutboxError.Code? {
    do throws(OutboxError) {
      _ = try StoredRequest(decoding: data)
      return nil
    } catch {
      return error.code
    }
  }

  @Test func `what was encoded comes out the same`() throws {
    let found = try StoredRequest(decoding: sample.encoded())
    #expect(found.method == sample.method)
    #expect(found.url == sample.url)
    #expect(found.fields.map(\.name) == ["X-A", "x-a"])
    #expect(found.fields.map(\.value) == ["1", "zwei ä"])
    #expect(found.body == sample.body)
    #expect(found.options == sample.options)
    // Also from the middle of other data, whose indices do not begin at zero.
    let slice = (Data([9, 9]) + sample.encoded()).dropFirst(2)
    #expect(try StoredRequest(decoding: slice).body == sample.body)
  }

  @Test func `the same request is the same bytes, and they are those of version 1`() throws {
    let request = StoredRequest(
      method: .put, url: "https://e.com/", fields: ["A": "b"],
      body: StoredBody(kind: .bytes, contentType: "t/p", segments: [.bytes(Data("xyz".utf8))]),
      options: StoredOptions(RequestOptions()))
    let head = #"{"f":["A","b"],"k":"bytes","m":"PUT","o":{},"s":[{"l":3}],"t":"t/p","u":"https://e.com/"}"#
    #expect(
      request.encoded() == Data([1, UInt8(head.utf8.count), 0, 0, 0]) + Data(head.utf8) + Data("xyz".utf8))
    #expect(sample.encoded() == sample.encoded())
  }

  @Test func `every cut and every addition is noticed`() {
    let data = sample.encoded()
    for length in 0..<data.count { #expect(failure(data.prefix(length)) == .damaged, "\(length) bytes") }
    #expect(failure(data + [0]) == .damaged)
  }

  @Test func `a later version is refused as such`() {
    #expect(failure(Data([2]) + sample.encoded().dropFirst()) == .tooNew)
    #expect(failure(Data([0]) + sample.encoded().dropFirst()) == .damaged)
  }

  @Test(arguments: [
    #"{"f":["A"],"k":"none","m":"GET","o":{},"s":[],"u":"https://e.com"}"#,
    #"{"f":[],"k":"none","m":"GET","o":{},"s":[{"l":0}],"u":"https://e.com"}"#,
    #"{"f":[],"k":"file","m":"GET","o":{},"s":[],"u":"https://e.com"}"#,
    #"{"f":[],"k":"bytes","m":"GET","o":{},"s":[{"l":-1}],"u":"https://e.com"}"#,
    #"{"f":[],"k":"bytes","m":"GET","o":{},"s":[{"l":1}],"u":"https://e.com"}"#,
    #"{"f":[],"k":"bytes","m":"GET","o":{},"s":[{"l":9223372036854775807}],"u":"https://e.com"}"#,
    #"{"f":[],"k":"file","m":"GET","o":{},"s":[{"l":1,"n":"../../etc/passwd"}],"u":"https://e.com"}"#,
    #"{"f":[],"k":"file","m":"GET","o":{},"s":[{"l":1,"n":""}],"u":"https://e.com"}"#,
    #"{"f":[],"k":"none","m":"GET","o":{"statuses":[300,200]},"s":[],"u":"https://e.com"}"#,
    #"{"f":[],"k":"none","m":"GET","o":{"statuses":[300]},"s":[],"u":"https://e.com"}"#,
    #"{"f":[],"k":"none","m":"GET","o":{"priority":9},"s":[],"u":"https://e.com"}"#,
    #"{"f":[],"k":"none","m":"GET","o":{"httpVersion":"http9"},"s":[],"u":"https://e.com"}"#,
    #"{"f":[],"k":"other","m":"GET","o":{},"s":[],"u":"https://e.com"}"#,
    #"[]"#, #""#,
  ])
  func `a head that makes no sense is damage, not a crash`(head: String) {
    let length = [UInt8(head.utf8.count & 255), UInt8(head.utf8.count >> 8), 0, 0]
    #expect(failure(Data([1] + length) + Data(head.utf8)) == .damaged)
  }

  @Test func `two lengths whose sum is too much are damage, not a crash`() {
    let segment = #"{"l":1152921504606846976,"n":"\#(Self.name)"}"#
    let head = #"{"f":[],"k":"multipart","m":"GET","o":{},"s":[\#(segment),\#(segment)],"u":"https://e.com"}"#
    #expect(
      failure(Data([1, UInt8(head.utf8.count & 255), UInt8(head.utf8.count >> 8), 0, 0]) + Data(head.utf8))
        == .damaged)
  }

  @Test(arguments: 0..<20)
  func `whatever garbage comes, it is an error or a request that can be used`(seed: UInt64) async throws {
    var random = SeededRandom(seed: seed)
    let whole = sample.encoded()
    let lab = try StorageLab()
    for _ in 0..<500 {
      var data = whole
      switch Int.random(in: 0...3, using: &random) {
      case 0:
        data = Data(
          (0..<Int.random(in: 0...200, using: &random)).map { _ in
            UInt8.random(in: 0...(.max), using: &random)
          })
      case 1:
        for _ in 0..<Int.random(in: 1...5, using: &random) {
          data = data.flipping(Int.random(in: 0..<data.count * 8, using: &random))
        }
      case 2:
        let from = Int.random(in: 0..<data.count, using: &random)
        data.removeSubrange(from..<Int.random(in: from...data.count, using: &random))
      default:
        // Other digits and other brackets make JSON that is still JSON more often.
        for _ in 0..<3 {
          data[Int.random(in: 5..<data.count, using: &random)] = "0123456789{}[]\",:-eE".utf8.randomElement(
            using: &random)!
        }
      }
      do throws(OutboxError) {
        let request = try lab.storage().request(from: ContentSeal(nil).wrap(data, as: .keyCheck), of: .new())
        _ = "\(request) \(request.body) \(request.options)"
        _ = try? await request.bodyBytes()
      } catch {
        #expect([.damaged, .tooNew].contains(error.code))
      }
      _ = try? RequestSummary(decoding: data)
    }
  }
}

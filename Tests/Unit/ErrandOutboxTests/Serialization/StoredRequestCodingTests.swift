import ErrandCore
import ErrandTesting
import Foundation
import TestSupport
import Testing

@testable import ErrandOutbox

@Suite(.computesLong) struct StoredRequestCodingTests {
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

  @Test func `an encoded request decodes to itself`() throws {
    let found = try StoredRequest(decoding: sample.encoded())
    #expect(found.method == sample.method)
    #expect(found.url == sample.url)
    #expect(found.fields.map(\.name) == ["X-A", "x-a"])
    #expect(found.fields.map(\.value) == ["1", "zwei ä"])
    #expect(found.body == sample.body)
    #expect(found.options == sample.options)
    // A slice, whose indices do not begin at zero, decodes as well.
    let slice = (Data([9, 9]) + sample.encoded()).dropFirst(2)
    #expect(try StoredRequest(decoding: slice).body == sample.body)
  }

  @Test func `equal requests encode to the same bytes, which are those of version 1`() throws {
    let request = StoredRequest(
      method: .put, url: "https://e.com/", fields: ["A": "b"],
      body: StoredBody(kind: .bytes, contentType: "t/p", segments: [.bytes(Data("xyz".utf8))]),
      options: StoredOptions(RequestOptions()))
    let texts = ["\u{3}PUT", "\u{e}https://e.com/", "\u{1}\u{1}A\u{1}b", "\u{5}bytes", "\u{1}\u{3}t/p"]
    #expect(
      request.encoded()
        == Data([1]) + Data(texts.joined().utf8) + Data([1, 0, 3, 0]) + Data("xyz".utf8))
    #expect(sample.encoded() == sample.encoded())
  }

  @Test func `every truncation and every addition is detected`() {
    let data = sample.encoded()
    for length in 0..<data.count { #expect(failure(data.prefix(length)) == .damaged, "\(length) bytes") }
    #expect(failure(data + [0]) == .damaged)
  }

  @Test func `a later version is refused as too new`() {
    #expect(failure(Data([2]) + sample.encoded().dropFirst()) == .tooNew)
    #expect(failure(Data([0]) + sample.encoded().dropFirst()) == .damaged)
  }

  /// Returns an encoded request that the test assembles.
  private func made(
    kind: String = "bytes", segments: [(String, Int64)], options: String = "", bytes: Int = 0
  ) -> Data {
    var writer = ByteWriter()
    writer.byte(1)
    writer.text("GET")
    writer.text("https://e.com")
    writer.number(0)
    writer.text(kind)
    writer.byte(0)
    writer.number(Int64(segments.count))
    for (name, length) in segments {
      writer.text(name)
      writer.number(length)
    }
    writer.data(Data(options.utf8))
    writer.raw(Data(count: bytes))
    return writer.data
  }

  @Test func `an inconsistent request is reported as damage, and does not crash`() {
    #expect(failure(made(segments: [("", 3)], bytes: 3)) == nil)
    #expect(failure(made(kind: "none", segments: [("", 0)])) == .damaged)
    #expect(failure(made(kind: "file", segments: [])) == .damaged)
    #expect(failure(made(kind: "other", segments: [])) == .damaged)
    #expect(failure(made(segments: [("", -1)])) == .damaged)
    #expect(failure(made(segments: [("", 1)])) == .damaged)
    #expect(failure(made(segments: [("", .max)])) == .damaged)
    #expect(failure(made(kind: "file", segments: [("../../etc/passwd", 1)])) == .damaged)
    let long: (String, Int64) = (Self.name, 1 << 60)
    #expect(failure(made(kind: "multipart", segments: [long, long])) == .damaged)
  }

  @Test(arguments: [
    #"{"statuses":[300,200]}"#, #"{"statuses":[300]}"#, #"{"statuses":[]}"#,
    #"{"statuses":[200,202,201,203]}"#,
    #"{"priority":9}"#, #"{"httpVersion":"http9"}"#,
    #"[]"#, "{", "x",
  ])
  func `invalid options are reported as damage, and do not crash`(options: String) {
    #expect(failure(made(kind: "none", segments: [], options: options)) == .damaged)
  }

  @Test(arguments: 0..<20)
  func `random bytes decode to an error or to a usable request`(seed: UInt64) async throws {
    var random = SeededRandom(seed: seed)
    let whole = sample.encoded()
    let harness = try StorageHarness()
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
        // Small numbers are more often lengths that still fit.
        for _ in 0..<3 {
          data[Int.random(in: 1..<data.count, using: &random)] = UInt8.random(in: 0...9, using: &random)
        }
      }
      do throws(OutboxError) {
        let request = try harness.storage().request(
          from: ContentSeal(nil).wrap(data, as: .keyCheck), of: .new())
        _ = "\(request) \(request.body) \(request.options)"
        _ = try? await request.bodyBytes()
      } catch {
        #expect([.damaged, .tooNew].contains(error.code))
      }
      _ = try? RequestSummary(decoding: data)
    }
  }
}

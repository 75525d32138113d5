import ErrandTesting
import Testing

@testable import ErrandCore

@Suite struct TraceContextTests {
  private static let example = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

  @Test func `the example of the recommendation is parsed and written`() throws {
    let context = try #require(TraceContext(traceparent: Self.example, tracestate: "rojo=1, congo=t6"))
    #expect("\(context.traceID)" == "4bf92f3577b34da6a3ce929d0e0e4736")
    #expect("\(context.spanID)" == "00f067aa0ba902b7")
    #expect(context.isSampled)
    #expect(context.state == "rojo=1,congo=t6")
    #expect(context.traceparent == Self.example)
  }

  @Test(arguments: [
    "", "00", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7",
    "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
    "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
    "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
    "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
    "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more",
    "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0g",
    "00_4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
    "01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01.more",
  ])
  func `an invalid context is refused`(text: String) {
    #expect(TraceContext(traceparent: text) == nil)
  }

  @Test func `a later version is parsed as far as it is known, and unknown flags are dropped`() {
    let later = "cc" + Self.example.dropFirst(2).dropLast(2) + "ff-what-the-future-will-be"
    #expect(TraceContext(traceparent: later)?.traceparent == Self.example.dropLast(1) + "3")
  }

  @Test(arguments: [
    ("a=1,b=2", "a=1,b=2"), (" a=1 , b=2 ,", "a=1,b=2"), ("tenant@system=x y", "tenant@system=x y"),
    ("a=1,a=2", "a=1"), ("a=1,b=2,a=3,b=4", "a=1,b=2"), ("A=1", ""), ("a=1,B=2", ""), ("a", ""), ("a=", ""),
    ("a=b=c", ""), ("a=\u{7}", ""),
    (String(repeating: "a=1,", count: 40), ""), ("a=" + String(repeating: "x", count: 257), ""),
  ])
  func `a valid state is passed on`(state: String, passed: String) {
    #expect(TraceContext(traceparent: Self.example, tracestate: state)?.state == passed)
  }

  /// Whole members are removed: first those longer than 128 characters, then from the end.
  @Test func `a state that is too long is shortened by whole members`() {
    let member = { (key: String, length: Int) in key + "=" + String(repeating: "x", count: length - 2) }
    let (long, longer) = (member("l", 200), member("m", 129))
    let short = ["a", "b", "c", "d"].map { member($0, 128) }
    func passed(_ members: [String]) -> String? {
      TraceContext(traceparent: Self.example, tracestate: members.joined(separator: ","))?.state
    }
    #expect(passed([long] + short[..<3]) == short[..<3].joined(separator: ","))
    #expect(passed([long, short[0], longer, short[1]]) == [long, short[0], short[1]].joined(separator: ","))
    #expect(passed(short) == short[..<3].joined(separator: ","))
    let exact = short[..<3] + [member("d", 125)]
    #expect(passed(Array(exact)) == exact.joined(separator: ","))
    #expect(passed(Array(exact))?.utf8.count == 512)
  }

  @Test func `a state of more than 32 members is not passed on, even if keys are repeated`() {
    let members = { (count: Int) in Array(repeating: "a=1", count: count).joined(separator: ",") }
    #expect(TraceContext(traceparent: Self.example, tracestate: members(32))?.state == "a=1")
    #expect(TraceContext(traceparent: Self.example, tracestate: members(33))?.state == "")
  }

  @Test(arguments: [("00", "00"), ("01", "01"), ("02", "02"), ("03", "03"), ("fe", "02"), ("f9", "01")])
  func `both flags of level 2 are passed on, and no others`(received: String, sent: String) throws {
    let context = try #require(TraceContext(traceparent: Self.example.dropLast(2) + received))
    #expect(context.hasRandomTraceID == (sent == "02" || sent == "03"))
    #expect(context.traceparent.hasSuffix("-" + sent))
    #expect(context.child().traceparent.hasSuffix("-" + sent))
  }

  @Test func `only a trace that begins in this process has the flag for a random identifier`() {
    #expect(TraceContext().traceparent.hasSuffix("-03"))
    #expect(TraceContext(traceID: .random(), spanID: .random()).traceparent.hasSuffix("-01"))
  }

  @Test func `a child has the same trace and a different span`() {
    let context = TraceContext()
    let child = context.child()
    #expect(child.traceID == context.traceID)
    #expect(child.spanID != context.spanID)
    #expect(TraceContext(traceparent: child.traceparent) == child)
  }
}

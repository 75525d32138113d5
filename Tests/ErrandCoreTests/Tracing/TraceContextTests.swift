import ErrandTesting
import Testing

@testable import ErrandCore

@Suite struct TraceContextTests {
  private static let example = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

  @Test func `the example of the recommendation is read and written`() throws {
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
  func `what is no context is refused`(text: String) {
    #expect(TraceContext(traceparent: text) == nil)
  }

  @Test func `a later version is read as far as it is known, and unknown flags are dropped`() {
    let later = "cc" + Self.example.dropFirst(2).dropLast(2) + "ff-what-the-future-will-be"
    #expect(TraceContext(traceparent: later)?.traceparent == Self.example)
  }

  @Test(arguments: [
    ("a=1,b=2", "a=1,b=2"), (" a=1 , b=2 ,", "a=1,b=2"), ("tenant@system=x y", "tenant@system=x y"),
    ("a=1,a=2", ""), ("A=1", ""), ("a", ""), ("a=", ""), ("a=b=c", ""), ("a=\u{7}", ""),
    (String(repeating: "a=1,", count: 40), ""), ("a=" + String(repeating: "x", count: 257), ""),
  ])
  func `a state is passed on if it is valid`(state: String, passed: String) {
    #expect(TraceContext(traceparent: Self.example, tracestate: state)?.state == passed)
  }

  @Test func `a child has the trace and another span`() {
    let context = TraceContext()
    let child = context.child()
    #expect(child.traceID == context.traceID)
    #expect(child.spanID != context.spanID)
    #expect(TraceContext(traceparent: child.traceparent) == child)
  }
}

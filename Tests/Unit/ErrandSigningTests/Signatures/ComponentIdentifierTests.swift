import ErrandCore
import Testing

@testable import ErrandSigning

/// The identifiers of components: RFC 9421, section 2.
@Suite struct ComponentIdentifierTests {
  @Test(
    arguments: [
      ("@method", #""@method""#), ("Content-Type", #""content-type""#), ("x;req", #""x";req"#),
      (#""@query-param";name="Pet""#, #""@query-param";name="Pet""#), ("@path;req", #""@path";req"#),
      (#"signature;req;key="sig1""#, #""signature";req;key="sig1""#), ("a;sf;key=\"b\"", #""a";sf;key="b""#),
    ])
  func `a component is parsed in the notation of Swift code and of signatures`(
    text: String, identifier: String
  ) throws {
    #expect(try MessageComponent(parsing: text).identifier == identifier)
    let parsed = try MessageComponent(parsing: identifier)
    #expect(parsed.identifier == identifier && parsed == MessageComponent(stringLiteral: identifier))
  }

  @Test(
    arguments: [
      "", "@", "@unknown", "@signature-params", "a b", "a:b", "a/b", "é", "a;x", "a;req=?0",
      "a;req=1",
      "a;sf=?0", "a;key", "a;key=1", "a;bs;sf", #"a;bs;key="b""#, "a;tr", "@method;sf", "@method;bs",
      #"@path;key="a""#,
      "@query-param", "@query-param;name=a", #"@method;name="a""#, #"a;name="a""#, "@status;req",
      "@method;tr", "a;",
      #""A""#, #""content-Type""#, "1;2", #"" a""#, "\"a\r\nb\"", "a;req;req=?0",
      #""@query-param";name="a";x"#,
    ])
  func `an undefined component is refused`(text: String) async {
    #expect(await codeOfRefusal { _ = try MessageComponent(parsing: text) } == .invalidComponent)
    #expect(
      await codeOfRefusal { _ = try SignatureParameters([MessageComponent(stringLiteral: text)]) }
        == .invalidComponent)
  }

  @Test func `an invalid combination of component parameters is refused when it is used`() async {
    let wrong: [MessageComponent] = [
      .method.structured, .field("a").wrapped.structured, .field("a").wrapped.member("b"), .status.ofRequest,
      .field(""),
      .field("a b"), .field("é"), .field("a").member("é"), .path.member("a"), .queryParameter("a").wrapped,
      .field("@method "),
    ]
    for component in wrong {
      #expect(
        await codeOfRefusal { _ = try SignatureParameters([component]) } == .invalidComponent, "\(component)")
    }
  }

  @Test func `the order of a component's parameters is ignored`() throws {
    let (one, other) = (
      try MessageComponent(parsing: #"a;req;key="b""#), try MessageComponent(parsing: #"a;key="b";req"#)
    )
    #expect(one == other && one.hashValue == other.hashValue && one.identifier != other.identifier)
    #expect(one == .field("A").member("b").ofRequest)
    #expect(MessageComponent.field("a").ofRequest.ofRequest.identifier == #""a";req"#)
    let different: Set<MessageComponent> = [
      "a", "a;req", "a;sf", "a;bs", #"a;key="b""#, #"a;key="c""#, "b", .path, .queryParameter("a"),
      .queryParameter("b"),
    ]
    #expect(different.count == 10)
  }

  @Test(
    arguments: [
      ["a", "a"], ["a;req", "b", "a;req"], [#"a;key="b";req"#, #"a;req;key="b""#], ["@method", "@method"],
      [#""@query-param";name="a""#, #""@query-param";name="a""#], ["Content-Type", "content-type"],
    ] as [[MessageComponent]])
  func `a component that is covered twice is refused`(components: [MessageComponent]) async throws {
    #expect(await codeOfRefusal { _ = try SignatureParameters(components) } == .invalidComponent)
    let list = "(" + components.map(\.identifier).joined(separator: " ") + ")"
    #expect(
      await codeOfRefusal {
        _ = try MessageSignature.all(in: ["Signature-Input": "a=\(list)", "Signature": "a=:AA==:"])
      }
        == .invalidComponent)
  }
}

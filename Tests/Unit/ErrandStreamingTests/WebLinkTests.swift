import ErrandCore
import Foundation
import Testing

@testable import ErrandStreaming

/// Expectations are from RFC 8288, sections 3 and 3.5, and its appendix B.
@Suite struct WebLinkTests {
  private func links(_ lines: String..., at url: String = "https://a.test/list/one?x=1#part") throws
    -> [WebLink]
  {
    var fields = HTTPFields()
    for line in lines { fields.append("Link", line) }
    return Response(status: 200, fields: fields, url: try #require(URL(string: url))).links
  }

  @Test func `the examples of the standard are read`() throws {
    let one = try links(#"<http://example.com/TheBook/chapter2>; rel="previous"; title="previous chapter""#)
    #expect(one.map(\.url?.absoluteString) == ["http://example.com/TheBook/chapter2"])
    #expect(one[0].relations == ["previous"] && one[0].title == "previous chapter")

    let two = try links(
      "</TheBook/chapter2>; rel=\"previous\"; title*=UTF-8'de'letztes%20Kapitel, "
        + "</TheBook/chapter4>; rel=\"next\"; title*=UTF-8'de'n%c3%a4chstes%20Kapitel")
    #expect(two.map(\.title) == ["letztes Kapitel", "nächstes Kapitel"])
    #expect(two.map(\.url?.path) == ["/TheBook/chapter2", "/TheBook/chapter4"])

    let several = try links(#"<http://example.org/>; rel="start http://example.net/relation/other""#)
    #expect(several[0].relations == ["start", "http://example.net/relation/other"])

    #expect(try links(##"</terms>; rel="copyright"; anchor="#foo""##)[0].isFromResponse == false)
    #expect(try links(#"</>; rel="http://example.net/foo""#)[0].url?.absoluteString == "https://a.test/")
  }

  @Test(arguments: [
    ("</2>; rel=next", "/2"), ("</2>;rel=\"next\"", "/2"), (" <\t/2 > ; REL = NEXT ", "/2"),
    ("</2>; title=\"a, b; c\"; rel=next", "/2"), ("</2>; title=\"a\\\"; rel=prev; \\\\\"; rel=next", "/2"),
    ("</1>; rel=prev, </2>; rel=next", "/2"), ("</2>; rel=\"last next\"", "/2"),
    (", ,</2>; rel=next,", "/2"), ("</2>; rel=next; rel=prev", "/2"), ("</2>; rel=prev; rel=next", nil),
    ("</a,b;c>; rel=next", "/a,b;c"), ("</2>; rel", nil), ("</2>", nil), ("", nil), ("</2; rel=next", nil),
    ("/2; rel=next", nil), ("</2>; rel=\"next", "/2"), ("</2>; =x; rel=next", "/2"),
    ("</2>;;; rel=next", "/2"),
    ("</2>; rel=next junk, </3>; rel=last", "/2"), ("</1>; x=y junk, </2>; rel=next", "/2"),
    ("<>; rel=next", "/list/one"),
    ("</2>; rel=next; anchor=\"/other\"", nil), ("</2>; rel=next; anchor=\"\"", "/2"),
    ("</2>; rel=next; anchor=\"?x=1\"", "/2"),
    ("</2>; anchor=\"https://b.test/\"; rel=next, </3>; rel=next", "/3"),
  ])
  func `the next page is found`(field: String, path: String?) throws {
    let response = Response(
      status: 200, fields: ["Link": field], url: try #require(URL(string: "https://a.test/list/one?x=1#part"))
    )
    #expect(response.link("next")?.url?.path == path)
    #expect(response.link("Next")?.url?.path == path)
  }

  @Test func `the links of all lines are read, in order`() throws {
    let all = try links("</1>; rel=a, </2>; rel=b", "</3>; rel=c")
    #expect(all.map(\.target) == ["/1", "/2", "/3"])
  }

  @Test(arguments: [
    ("two", "https://a.test/list/two"), ("?y", "https://a.test/list/one?y"), ("//b.test", "https://b.test"),
    ("../up", "https://a.test/up"), ("mailto:ann@example.com", "mailto:ann@example.com"),
    ("https://user:password@b.test/", "https://b.test/"), ("http://[::/", nil), ("a b", nil),
  ])
  func `targets are resolved against the response's URL, without a user`(target: String, url: String?) throws
  {
    #expect(try links("<\(target)>; rel=x")[0].url?.absoluteString == url)
  }

  @Test func `attributes are found in any case, and the first counts`() throws {
    let link = try links("</>; rel=x; Type=text/html; type=text/plain; hreflang=de")[0]
    #expect(link["type"] == "text/html" && link["HrefLang"] == "de" && link["media"] == nil)
    #expect(try links("</>; rel=x; title*=ISO-8859-1'en'%A3; title=pound")[0].title == "pound")
    #expect(try links("</>; rel=x; title*=UTF-8''%FF; title=bytes")[0].title == "bytes")
  }

  @Test func `the number of links is limited`() throws {
    let field = String(repeating: "</>; rel=x, ", count: 1500)
    #expect(try links(field, field).count == 1000)
  }

  @Test func `a description hides the secrets of the target`() throws {
    #expect("\(try links("</?token=abc>; rel=next")[0])" == "</?token=***>; rel=\"next\"")
  }
}

import ErrandTesting
import TestSupport
import Testing

@testable import ErrandCore

@Suite struct SecretsTests {
  @Test(arguments: [
    ("http://h/?token=s", "http://h/?token=***"), ("http://h/?%74oken=s&a=1", "http://h/?%74oken=***&a=1"),
    ("http://h/?%2574oken=s", "http://h/?%2574oken=***"), ("http://h/?TOKEN=s#f", "http://h/?TOKEN=***#f"),
    ("http://h/?a=1;token=s;t&b=2", "http://h/?a=1;token=***&b=2"),
    ("http://h/#access_token=s&state=1", "http://h/#access_token=***&state=1"),
    ("http://h/#a?code=s#t", "http://h/#a?code=***#t"), ("http://h/?a?token=s", "http://h/?a?token=***"),
    ("http://h/x;jsessionid=s/y?a=1", "http://h/x;jsessionid=***/y?a=1"),
    ("http://h/?user[password]=s", "http://h/?user[password]=***"),
    ("http://h/?user%5Bpassword%5D=s", "http://h/?user%5Bpassword%5D=***"),
    ("http://h/?X-Amz-Signature=s&X-Amz-Date=1", "http://h/?X-Amz-Signature=***&X-Amz-Date=1"),
    ("http://h/?apiKey=s&API-KEY=s&client.secret=s", "http://h/?apiKey=***&API-KEY=***&client.secret=***"),
    ("http://h/?a=1&amp;token=s", "http://h/?a=1&amp;token=***"),
    ("http://h/?%20token+=s", "http://h/?%20token+=***"),
    ("http://u:s@h/", "http://***@h/"), ("//u:s@h/", "//***@h/"), ("https:u:s@h/", "https:***@h/"),
    ("http:\\\\u:s@h\\", "http:\\\\***@h\\"), ("u:s@h/", "***@h/"),
    ("http://h/?next=https%3A%2F%2Fo%2F%3Ftoken%3Ds", "http://h/?next=***"),
    ("http://h/?next=https%253A%252F%252Fu%253As%2540o", "http://h/?next=***"),
    ("http://h/?next=http://u:s@o/", "http://h/?next=***"),
    ("http://h/?state=token%3Ds", "http://h/?state=***"),
    ("http://h/proxy/https://u:s@o/x?a=1", "http://h/proxy/https://***@o/x?a=1"),
    ("http://h/proxy/https:/u:s@o/x", "http://h/proxy/https:/***@o/x"),
    ("http://h//u:s@o/x", "http://h//***@o/x"),
    ("http://h/a;b=https://u:s;t@o/", "http://h/a;b=https://***@o/"),
    ("http://h/https:\\\\u:s@o/", "http://h/https:\\\\***@o/"),
    ("h/proxy/https:%2F%2Fu:s@o/x", "h***"),
    ("http://h/https%3A%2F%2Fu%3As%40o%2Fx/y?a=b", "http://h***?a=b"),
    ("http://h/https%253A%252F%252Fu%253As%2540o", "http://h***"),
    ("http://h/https%3A%2F%2Fo%2F%3Ftoken%3Ds", "http://h***"), ("https%3A%2F%2Fu%3As%40o", "***"),
    ("http://h/https://o/?token=s", "http://h/https://o/?token=***"),
    ("http://h/redir?https://u:s@o/", "http://h/redir?***"),
    ("http://h/?a&//u:s@o/&b=1", "http://h/?a&***&b=1"),
    ("http://h/?https://u:s=t;v@o/?c=d&e", "http://h/?***?c=d&e"),
    ("http://h/?next=https://u:s=t;v@o/?c=d", "http://h/?next=***?c=d"),
    ("http://h/?https%3A%2F%2Fu%3As%40o", "http://h/?***"), ("http://h/#https://u:s@o/", "http://h/#***"),
    ("http://h/?https://o/?token=s", "http://h/?https://o/?token=***"),
    ("http://h\\u:p@x/?a=b", "http://***@x/?a=b"), ("http:\\\\u\\:p@x/", "http:\\\\***@x/"),
  ])
  func `a URL shows no secret in any notation`(url: String, shown: String) {
    #expect(Secrets.standard.redact(url) == shown)
    #expect(Secrets.standard.redact(shown) == shown)
  }

  @Test(arguments: [
    "http://h/a@b", "http://h/?mail=a@b.c", "http://h/?page_token=1", "http://h/?q=a%3Db",
    "http://h/?tokens=1", "http://h", "http://h/https://o/@u?a=b", "http://h/?next=https://o/@u&mail=a@b",
    "http://h/?a@b", "http://h/?a%40b", "http://h/a%40b/%2F%2Fo", "http://h/?x=//o&mail=a@b", "http://h/%2",
    "http://h/a%20b;c?https://o/%20x",
    "/a;v=1/b?c=d", "http://h/?token", "http://h/?q=50%25+off&r=%2541",
  ])
  func `a URL without secrets is shown unchanged`(url: String) {
    #expect(Secrets.standard.redact(url) == url)
  }

  @Test func `a name that is percent-encoded too many times counts as secret`() {
    let name = "%" + String(repeating: "25", count: 5_000) + "41"
    #expect(Secrets.standard.redact("http://h/?\(name)=s") == "http://h/?\(name)=***")
    let value = String(repeating: "a=", count: 20_000) + "//u@h"
    #expect(Secrets.standard.redact("http://h/?\(value)").hasSuffix("a=***"))
  }

  @Test(arguments: [
    "authorization", "Proxy-Authorization", "COOKIE", "Set-Cookie", "X-Api-Key", "apikey",
    "X-Amz-Security-Token",
    "X-Auth-Token", "X-CSRF-Token", "Private-Token", "X-Client-Secret", "Signature",
    "Ocp-Apim-Subscription-Key",
  ])
  func `a header field with the name of a credential is secret`(name: String) {
    #expect(HTTPFields.Field(name, "s").description == "\(name): ***")
    #expect(Secrets.standard.covers(HTTPFields.Field(name, "s")))
  }

  @Test(arguments: [
    "Accept", "Content-Type", "Idempotency-Key", "Connection", "Date", "X-Author", "Sec-WebSocket-Key",
  ])
  func `a header field with another name is not secret`(name: String) {
    #expect(!HTTPFields.Field(name, "s").isSecret)
  }

  @Test func `the client's own secret names are added to the standard ones`() {
    let secrets = Secrets(fields: ["X-Mine"], queryItems: ["mine"])
    #expect(secrets.covers(HTTPFields.Field("x_mine", "s")))
    #expect(secrets.redact("/?MINE=s&token=s&m-ine=s") == "/?MINE=***&token=***&m-ine=***")
    var fewer = Secrets()
    fewer.queryItems.remove("code")
    #expect(fewer.redact("/?code=1&token=s") == "/?code=1&token=***")
  }

  @Test func `a URL in a header field shows no secret`() {
    let field = HTTPFields.Field("Location", "http://h/?token=s")
    #expect(field.description == "Location: http://h/?token=***")
    let fields: HTTPFields = ["Link": "<http://h/?mine=s>; rel=next", "ETag": "\"mine=s\""]
    #expect(fields.hiding(Secrets(queryItems: ["mine"])).description == "Link: ***\nETag: \"mine=s\"")
  }

  @Test(arguments: [
    "https://u:s@h/", "see https://u:s@h/, or not", "\"https://u:s@h/\"", "https%3A%2F%2Fu%3As%40h%2F",
    "https%253A%252F%252Fu%253As%2540h", "https://h/?token=s", "<https://a/>, <https://u:s@h/>", "ftp://:s@h",
    "https://h/x/https://u:s@o/",
  ])
  func `a URL in any header field shows no secret`(value: String) {
    let field = HTTPFields.Field("X-Forward", value)
    #expect(!field.description.contains("s@") && !field.description.contains("=s"), "\(field)")
    #expect(field.description.contains("***") && Secrets.standard.hides(field))
  }

  @Test(arguments: [
    "me@example.com", "50%25", "me%2Bx@example.com", "a=b;token=1", "//u@h",
    "Bot/1.0 (+http://o.test/bot; x)",
    "\"a//b@c\"", "https://o/@u",
  ])
  func `a header field without a URL with secrets is shown unchanged`(value: String) {
    let field = HTTPFields.Field("X-Any", value)
    #expect(field.description == "X-Any: \(value)" && !Secrets.standard.hides(field))
  }

  @Test(.computesLong) func `a URL is scanned in one pass, whatever it repeats`() {
    for piece in ["//", "/https://u:p@h", "?//u@", ";a@", "&https://x@y", "%2F%2Fu%40", "#=", ":/@", "\\\\a"]
    {
      let url = "http://h/" + String(repeating: piece, count: 10_000)
      #expect(!Secrets.standard.redact(url).isEmpty)
      #expect(!Secrets.standard.redact("http://h/?" + url).isEmpty)
    }
  }

  @Test(arguments: [
    ("no-store", true), ("max-age=60, No-Store", true), ("private , no-store ,x", true), ("no-store=1", true),
    ("x=\"a,\\\",no-store\", y", false), ("no-storeX", false), ("max-age=0", false), ("", false),
    ("x=\"no-store\"", false), ("x=\"open, no-store", true), ("y=no-store", false),
  ])
  func `no-store is recognized as a directive, not as text`(value: String, forbids: Bool) {
    #expect((["cache-control": value] as HTTPFields).forbidStoring == forbids)
    var two: HTTPFields = ["Cache-Control": "max-age=1"]
    two.append("Cache-Control", value)
    #expect(two.forbidStoring == forbids)
  }
}

import ErrandCore
import Foundation
import Testing

@testable import ErrandSigning

/// Compares with botocore, AWS's own client for Python.
@Suite(
  .enabled("SKIPPED: botocore is not installed (pip install botocore; ERRAND_PYTHON names the interpreter)") {
    await Python.has("botocore")
  })
struct BotocoreTests {
  /// A request, and the results of both signers.
  private struct Case: Codable {
    var method: String
    var url: String
    var fields: [[String]]
    var body: Data
    var service: String
    var token: String?
    var date: String
    var isPresigned: Bool
  }

  private struct Signed: Codable {
    var authorization: String?
    var digest: String?
    var url: String?
  }

  private static let program = """
    import base64, datetime, json, sys
    import botocore.auth
    from botocore.awsrequest import AWSRequest
    from botocore.credentials import Credentials

    signed = []
    for case in json.load(sys.stdin):
        now = datetime.datetime.strptime(case["date"], "%Y%m%dT%H%M%SZ")
        botocore.auth.get_current_datetime = lambda *_, **__: now
        request = AWSRequest(method=case["method"], url=case["url"], data=base64.b64decode(case["body"]))
        for name, value in case["fields"]:
            request.headers[name] = value
        keys = Credentials("AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", case.get("token"))
        kind = ("S3" if case["service"] == "s3" else "") + "SigV4" + ("Query" if case["isPresigned"] else "") + "Auth"
        auth = getattr(botocore.auth, kind)(keys, case["service"], "us-east-1")
        auth.add_auth(request)
        signed.append({
            "authorization": request.headers.get("Authorization"),
            "digest": request.headers.get("X-Amz-Content-SHA256"),
            "url": request.url,
        })
    json.dump(signed, sys.stdout)
    """

  @Test func `Errand and botocore sign 600 random requests identically`() async throws {
    var random = Seeded(12)
    let cases = (0..<600).map { _ in Self.request(&random) }
    let output = try await Python.run(Self.program, input: JSONEncoder().encode(cases))
    let theirs = try JSONDecoder().decode([Signed].self, from: output)
    try #require(theirs.count == cases.count)
    for (example, theirs) in zip(cases, theirs) {
      let signer = try AWSSigner(
        region: "us-east-1", service: example.service,
        credentials: AWSVector.credentials(token: example.token))
      let url = try #require(URL(string: example.url))
      let date = try #require(AWSTimestamp.date(example.date))
      var fields = HTTPFields()
      for field in example.fields { fields.append(field[0], field[1]) }
      if example.isPresigned {
        let ours = try await signer.presignedURL(
          for: url, method: HTTPMethod(example.method), fields: fields, lifetime: .seconds(3600), date: date)
        #expect(Self.items(ours.absoluteString) == Self.items(theirs.url ?? ""), "\(example)")
      } else {
        var request = OutgoingRequest(
          HTTPMethod(example.method), url, fields: fields,
          body: example.body.isEmpty ? .none : .bytes(example.body), date: date)
        try await signer.sign(&request)
        #expect(request.fields["Authorization"] == theirs.authorization, "\(example)")
        #expect(request.fields["X-Amz-Content-SHA256"] == theirs.digest)
      }
    }
  }

  /// The items of a query; their order does not matter to a server.
  private static func items(_ url: String) -> [Substring] {
    (url.split(separator: "?").last ?? "").split(separator: "&").sorted()
  }

  private static func request(_ random: inout Seeded) -> Case {
    let service = ["s3", "execute-api", "service"][random.number(0...2)]
    let isPresigned = random.number(0...2) == 0
    let query = (0..<random.number(0...4)).map { number in
      // botocore keeps only one of several items with the same name when it presigns.
      let name = word(&random) + (isPresigned ? "\(number)" : "")
      return random.number(0...4) == 0 && !isPresigned ? name : "\(name)=\(word(&random))"
    }.filter { $0 != "=" && !$0.isEmpty }
    let port = ["", ":443", ":8443"][random.number(0...2)]
    let fields = (0..<random.number(0...4)).map { _ in
      ["X-\(["A", "b", "Amz-Meta-c"][random.number(0...2)])", value(&random)]
    }
    return Case(
      method: ["GET", "PUT", "POST", "DELETE", "HEAD"][random.number(0...4)],
      url: "https://example\(random.number(1...9)).amazonaws.com\(port)\(path(&random, service))"
        + (query.isEmpty ? "" : "?\(query.joined(separator: "&"))"),
      fields: fields,
      body: isPresigned ? Data() : random.data(random.number(0...1) * random.number(0...3000)),
      service: service, token: random.number(0...1) == 0 ? nil : AWSVector.token,
      date: ["20150830T123600Z", "20240229T235959Z", "19700101T000000Z", "20991231T000001Z"][
        random.number(0...3)],
      isPresigned: isPresigned)
  }

  private static func path(_ random: inout Seeded, _ service: String) -> String {
    let segments = (0..<random.number(0...5)).map { _ in
      let segment = [".", "..", "", word(&random), word(&random), word(&random)][random.number(0...5)]
      // For S3, botocore signs an encoded slash as it is; servers compare with the decoded name.
      return service == "s3" ? segment.replacing("%2F", with: "") : segment
    }
    // For S3, botocore signs an empty path where `/` is sent.
    return segments.isEmpty && service != "s3" ? "" : "/" + segments.joined(separator: "/")
  }

  /// Returns a word whose characters are encoded as required.
  private static func word(_ random: inout Seeded) -> String {
    let letters = Array("abzAZ09-._~ !$&'()*+,;=:@/?#[]%\"<>é😀\u{1}".unicodeScalars)
    let text = String(
      String.UnicodeScalarView(
        (0..<random.number(1...8)).map { _ in letters[random.number(0...letters.count - 1)] }))
    let encoded = PercentEncoding.query(text)
    return [".", ".."].contains(encoded) ? "a" : encoded
  }

  private static func value(_ random: inout Seeded) -> String {
    let letters = Array("ab  \t\"=,;:".unicodeScalars)
    return String(
      String.UnicodeScalarView(
        (0..<random.number(0...12)).map { _ in letters[random.number(0...letters.count - 1)] }))
  }
}

import ErrandCore
import ErrandOutbox
import Testing

@testable import ErrandCommands

@Suite struct GuaranteeTests {
  private func guarantee(_ arguments: String...) throws -> Guarantee? {
    guard case .transfer(let transfer) = try Invocation(arguments) else {
      throw UsageError("it is not a transfer")
    }
    return transfer.guarantee
  }

  @Test(arguments: [
    ["get", "u"], ["delete", "u"], ["post", "u"], ["put", "u"], ["patch", "u"], ["send", "X", "u"],
    ["upload", "f", "u"],
  ])
  func `each command that sends a request can store it`(_ command: [String]) throws {
    guard case .transfer(let plain) = try Invocation(command),
      case .transfer(let stored) = try Invocation(command + ["--guaranteed"])
    else { throw UsageError("it is not a transfer") }
    #expect(plain.guarantee == nil)
    #expect(stored.guarantee == Guarantee())
  }

  @Test func `every option is parsed`() throws {
    var expected = Guarantee()
    expected.lane = "chat"
    expected.expires = .seconds(7 * 86_400)
    expected.store = "box"
    expected.isDetached = true
    expected.id = "order-7"
    expected.replaces = true
    expected.delay = .seconds(600)
    let given = try guarantee(
      "post", "u", "--guaranteed", "--lane", "chat", "--expires", "7d", "--store", "box", "--detach", "--id",
      "order-7",
      "--replace", "--not-before", "10m")
    #expect(given == expected)
  }

  @Test(arguments: [("acme/orders/7", "acme"), ("acme", "acme"), ("/a", ""), ("é/x", "é")])
  func `the key by lane is the part before the first slash`(lane: String, key: String) throws {
    let given = try guarantee("post", "u", "--guaranteed", "--lane", lane, "--key-by", "lane")
    #expect(given?.key == key)
    #expect(try guarantee("post", "u", "--guaranteed", "--lane", lane)?.key == nil)
  }

  @Test(arguments: [
    ["--lane", "a"], ["--key-by", "lane"], ["--guaranteed", "--key-by", "lane"],
    ["--guaranteed", "--lane", "a", "--key-by", "origin"], ["--id", "a"], ["--not-before", "1m"],
    ["--guaranteed", "--replace"], ["--detach"],
    ["--guaranteed", "--deadline", "1m"], ["--guaranteed", "--retry", "3"],
    ["--guaranteed", "--activity", "x"], ["--guaranteed", "-o", "file"], ["--guaranteed", "--store", ""],
    ["--guaranteed", "--no-redirects"], ["--guaranteed", "--detach", "--cacert", "ca.pem"],
    ["--guaranteed", "--detach", "--proxy", "none"], ["--guaranteed", "--expires", "soon"],
  ])
  func `an option that cannot be stored with a request is refused, not dropped`(_ options: [String]) {
    #expect(throws: UsageError.self) { try Invocation(["post", "http://a"] + options) }
  }

  @Test func `connection options apply to the attempts of this process`() throws {
    #expect(try guarantee("post", "u", "--guaranteed", "--cacert", "ca.pem") == Guarantee())
  }
}

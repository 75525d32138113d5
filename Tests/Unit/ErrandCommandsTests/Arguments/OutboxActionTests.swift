import ErrandCore
import ErrandOutbox
import Testing

@testable import ErrandCommands

@Suite struct OutboxActionTests {
  private func action(_ arguments: String...) throws -> OutboxAction {
    guard case .outbox(let action) = try Invocation(["outbox"] + arguments) else {
      throw UsageError("it is not a command of the outbox")
    }
    return action
  }

  @Test func `each command is parsed into its task`() throws {
    #expect(try action("show", "3f").task == .show(id: "3f"))
    #expect(try action("watch").task == .watch)
    #expect(
      try action("stats", "--store", "box", "--output", "json")
        == OutboxAction(task: .stats, store: "box", format: .json))
    #expect(try action("retry", "a", "b").task == .retry(.ids(["a", "b"]), force: false))
    #expect(try action("retry", "--force", "a").task == .retry(.ids(["a"]), force: true))
    #expect(try action("drop", "--all").task == .drop(.all))
    #expect(try action("pause").task == .pause(lane: nil))
    #expect(try action("resume", "--lane", "chat").task == .resume(lane: "chat"))
    var listing = OutboxListing()
    listing.states = [.deadLettered]
    #expect(try action("export", "3f", "--state", "dead-letter").task == .export(listing, ids: ["3f"]))
    #expect(try action("import", "FILE").task == .import(path: "FILE"))
    #expect(try action("import", "-").task == .import(path: nil))
    #expect(
      try action("workers", "--store", "postgres://db/a")
        == OutboxAction(task: .workers, store: "postgres://db/a"))
    #expect(try action("health").task == .health(oldest: nil))
    #expect(try action("health", "--oldest", "10m").task == .health(oldest: .seconds(600)))
    #expect(try action("migrate", "--dry-run").task == .migrate(isDryRun: true))
  }

  @Test func `a listing accepts states, a lane and a page`() throws {
    var expected = OutboxListing()
    expected.states = [.deadLettered, .attempting]
    expected.lane = "chat"
    expected.limit = 10
    expected.after = "20"
    let given = try action(
      "list", "--state", "dead-letter", "--state", "attempting", "--lane", "chat", "--limit", "10", "--after",
      "20")
    #expect(given.task == .list(expected))
  }

  @Test func `a run accepts its options, and credentials only for its origins`() throws {
    guard
      case .run(let run) = try action(
        "run", "--until-empty", "--metrics", ":9464", "--concurrency", "4", "--grace", "1s", "--timeout",
        "3s", "-H",
        "Authorization: Bearer x", "--to", "https://a.example/path", "--cacert", "ca.pem"
      ).task
    else { throw UsageError("it is not a run") }
    #expect(
      run.end == .empty && run.concurrency == 4 && run.grace == .seconds(1) && run.timeout == .seconds(3))
    #expect(run.connection.authorities == "ca.pem")
    #expect(run.metrics?.port == 9464 && run.metrics?.isOpen == false)
    let credentials = Credentials(fields: run.fields, scope: .origins(run.origins))
    #expect(credentials.covers(.get("https://a.example/other")))
    #expect(!credentials.covers(.get("https://b.example/path")))
    #expect(!credentials.covers(.get("http://a.example/path")))
  }

  @Test func `metrics are served at an address of IPv4 or IPv6`() throws {
    for text in [":9464", "127.0.0.1:9464", "localhost:9464", "[::1]:9464"] {
      #expect(try MetricsAddress(text).isOpen == false)
    }
    for text in ["0.0.0.0:9464", "*:9464", "[::]:9464"] { #expect(try MetricsAddress(text).isOpen) }
    #expect(try MetricsAddress("[::1]:9464").port == 9464)
  }

  @Test(arguments: [
    [], ["lsit"], ["list", "--state", "lost"], ["list", "--limit", "0"], ["list", "x"], ["show"],
    ["show", "a", "b"],
    ["import"], ["import", "a", "b"], ["export", "--state", "lost"], ["retry"], ["drop"],
    ["drop", "a", "--all"], ["run", "--concurrency", "0"], ["run", "--to", "https://a"],
    ["run", "-H", "Authorization: x"], ["run", "-H", "Cookie: x"],
    ["run", "-H", "X-A: b", "--to", "not here"],
    ["run", "--bearer", "x"], ["run", "--bearer", "x", "-H", "Authorization: y", "--to", "https://a"],
    ["run", "--bearer", "@", "--to", "https://a"],
    ["health", "--oldest", "soon"], ["run", "--metrics", "9464"], ["run", "--metrics", ":0"],
    ["run", "--metrics", "::1:9464"], ["run", "--metrics", "[::1]"], ["run", "--metrics", "[::2]:9464"],
    ["run", "--metrics", "db.example.com:9464"], ["run", "--metrics", ":99999"], ["migrate", "x"],
  ])
  func `incorrect use is a usage error`(_ arguments: [String]) {
    #expect(throws: UsageError.self) { try Invocation(["outbox"] + arguments) }
  }

  @Test func `each outbox command has a help text`() throws {
    #expect(try Invocation(["help", "outbox", "run"]) == .help(.command("outbox run")))
    #expect(try Invocation(["outbox", "run", "--help"]) == .help(.command("outbox run")))
    #expect(try Invocation(["outbox", "--help"]) == .help(.command("outbox")))
    for command in CommandSpec.outbox.subcommands {
      #expect(HelpText.text(.command("outbox")).contains("\n  \(command.name)"))
      let text = HelpText.text(.command(command.name))
      #expect(text.split(separator: "\n").allSatisfy { $0.count <= 110 })
      for option in command.options where option != .help { #expect(text.contains(option.name)) }
    }
  }
}

struct Tour {
  let console: Console

  func run() async throws -> ExitCode { .success }
}

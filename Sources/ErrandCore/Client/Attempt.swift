/// One try: the transfer, the redirects it leads to, and the validation of what came.
struct Attempt: Sendable {
  private let number: Int
  private let run: Run
  private let pipeline: Pipeline
  private let began: Duration

  init(_ number: Int, _ run: Run, _ pipeline: Pipeline) {
    self.number = number
    self.run = run
    self.pipeline = pipeline
    began = pipeline.timeline.now()
  }

  func perform(_ request: Request) async throws -> Response {
    var request = request
    var followed = 0
    var hasAskedAgain = false
    while true {
      try run.signal.check()
      if followed == 0 { run.countSent() }
      let transfer = Transfer(run, pipeline, attempt: number, began: began, redirects: followed)
      let answer: Transfer.Answer
      do {
        answer = try await transfer.perform(request)
      } catch is Download.AskAgain where !hasAskedAgain {
        hasAskedAgain = true
        if case .file(let download) = run.destination { download.forgetPart() }
        continue
      } catch var error as RequestError where followed > 0 {
        // Whatever became of the last step, the server that redirected has seen the request.
        error.reachedServer = true
        throw error
      }
      switch try pipeline.redirects(of: request).step(
        request, answer.head, followed: followed, secrets: pipeline.configuration.secrets)
      {
      case .follow(let next):
        request = next
        followed += 1
      case .answer:
        do {
          return try validated(request, answer, transfer.timing(answer.metrics))
        } catch {
          if case .chunks(let stream) = answer.body { await stream.drop() }
          throw error
        }
      }
    }
  }

  private func validated(
    _ request: Request, _ answer: Transfer.Answer, _ timing: Timing
  ) throws -> Response {
    let (validator, secrets) = (request.options.validator, pipeline.configuration.secrets)
    func reject(_ rejection: RequestError.Rejection) -> RequestError {
      var error = rejection.error(answer.head.status, answer.head.fields, bodyPrefix: answer.prefix)
      error.timing = timing
      return error
    }
    if let rejection = validator.problem(with: answer.judged) { throw reject(rejection) }
    guard let url = request.url else { preconditionFailure("checked before it was sent") }
    let response = Response(
      head: answer.head, body: answer.body, url: url, timing: timing, method: request.method,
      secrets: secrets)
    if let rejection = validator.problem(with: response, bodyLength: answer.length) {
      throw reject(rejection)
    }
    return response
  }
}

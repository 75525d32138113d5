/// One attempt: the transfer, the redirects it leads to, and the validation of the response.
struct Attempt: Sendable {
  private let number: Int
  private let context: CallContext
  private let pipeline: Pipeline
  private let began: Duration

  init(_ number: Int, _ context: CallContext, _ pipeline: Pipeline) {
    self.number = number
    self.context = context
    self.pipeline = pipeline
    began = pipeline.timeline.now()
  }

  func perform(_ request: Request) async throws -> Response {
    var request = request
    var followed = 0
    var hasAskedAgain = false
    while true {
      try context.cancellation.check()
      if followed == 0 { context.countSent() }
      let transfer = Transfer(context, pipeline, attempt: number, began: began, redirects: followed)
      let received: Transfer.Received
      do {
        received = try await transfer.perform(request)
      } catch is Download.AskAgain where !hasAskedAgain {
        hasAskedAgain = true
        if case .file(let download) = context.destination { download.forgetPart() }
        continue
      } catch var error as RequestError where followed > 0 {
        // The server that sent the redirect has seen the request.
        error.reachedServer = true
        throw error
      }
      switch try pipeline.redirects(of: request).step(
        request, received.head, followed: followed, secrets: pipeline.configuration.secrets)
      {
      case .follow(let next):
        request = next
        followed += 1
      case .response:
        do {
          return try validated(request, received, transfer.timing(received.metrics))
        } catch {
          if case .chunks(let stream) = received.body { await stream.drop() }
          throw error
        }
      }
    }
  }

  private func validated(
    _ request: Request, _ received: Transfer.Received, _ timing: Timing
  ) throws -> Response {
    let (validator, secrets) = (request.options.validator, pipeline.configuration.secrets)
    func reject(_ rejection: RequestError.Rejection) -> RequestError {
      var error = rejection.error(received.head.status, received.head.fields, bodyPrefix: received.prefix)
      error.timing = timing
      return error
    }
    if let rejection = validator.problem(with: received.judged) { throw reject(rejection) }
    guard let url = request.url else { preconditionFailure("checked before it was sent") }
    let response = Response(
      head: received.head, body: received.body, url: url, timing: timing, method: request.method,
      secrets: secrets)
    if let rejection = validator.problem(with: response, bodyLength: received.length) {
      throw reject(rejection)
    }
    return response
  }
}

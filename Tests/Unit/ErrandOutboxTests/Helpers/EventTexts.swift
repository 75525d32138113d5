import ErrandCore

/// Collects as text everything that a listener can read.
final class EventTexts: EventListener {
  private let collected = Locked<[String]>([])

  var texts: [String] { collected.withLock { $0 } }

  func record(_ event: CallEvent) {
    var texts = [event.description]
    add(event.request, to: &texts)
    switch event.kind {
    case .attemptStarted(let request), .redirected(let request): add(request, to: &texts)
    case .responded(let response), .finished(let response):
      dump(response.fields, to: &texts)
      texts += response.fields.map(\.value)
    case .attemptFailed(let failure), .failed(let failure), .retrying(_, let failure):
      texts.append(failure.message)
      texts += failure.fields?.map(\.value) ?? []
    default: break
    }
    collected.withLock { $0 += texts }
  }

  private func add(_ request: EventRequest, to texts: inout [String]) {
    texts += [request.url, request.origin, "\(request)"] + request.fields.map(\.value)
    dump(request.fields, to: &texts)
  }

  private func dump(_ value: some Any, to texts: inout [String]) {
    var text = ""
    Swift.dump(value, to: &text)
    texts.append(text)
  }
}

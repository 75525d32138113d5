import ErrandCore

extension Call {
  /// The error of the call, once it has ended; nil if it has succeeded.
  var error: RequestError? {
    get async {
      if case .failure(let error) = await result { error as? RequestError } else { nil }
    }
  }
}

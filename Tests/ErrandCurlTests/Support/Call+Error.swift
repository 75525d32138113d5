import ErrandCore

extension Call {
  /// Waits for its end; nil if it ended well.
  var error: RequestError? {
    get async {
      if case .failure(let error) = await result { error as? RequestError } else { nil }
    }
  }
}

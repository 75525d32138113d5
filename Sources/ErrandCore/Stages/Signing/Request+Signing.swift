extension Request {
  /// Signs each attempt with this signer instead of the client's (`ClientConfiguration.signer`).
  public func signed(by signer: any RequestSigner) -> Request { with { $0.options.signer = signer } }

  /// Sends the request without a signature, whatever the client's signer is.
  public func unsigned() -> Request {
    with {
      $0.options.signer = nil
      $0.options.isUnsigned = true
    }
  }
}

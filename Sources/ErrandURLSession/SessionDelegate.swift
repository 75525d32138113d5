import ErrandCore
import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Hands what URLSession says about a task to the transfer that it belongs to.
final class SessionDelegate: NSObject, URLSessionDataDelegate, Sendable {
  private let pins: [String]
  // By the task itself: numbers repeat from session to session. The transfer holds the task, so it keeps its address.
  private let transfers = Locked<[ObjectIdentifier: SessionTransfer]>([:])

  init(pins: [String]) { self.pins = pins }

  func add(_ transfer: SessionTransfer, for task: URLSessionTask) {
    transfers.withLock { $0[ObjectIdentifier(task)] = transfer }
  }

  /// The session is over; whatever has not ended will not.
  func finishAll() {
    let left = transfers.withLock { transfers in
      defer { transfers = [:] }
      return Array(transfers.values)
    }
    for transfer in left { transfer.shutDown() }
  }

  private func transfer(of task: URLSessionTask) -> SessionTransfer? {
    transfers.withLock { $0[ObjectIdentifier(task)] }
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    let isWanted = transfer(of: dataTask)?.receive(response) ?? false
    completionHandler(isWanted ? .allow : .cancel)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    transfer(of: dataTask)?.receive(data)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
    totalBytesExpectedToSend: Int64
  ) {
    transfer(of: task)?.didSend(totalBytesSent)
  }

  /// Redirects are followed above, under Errand's rules; here the answer is the 3xx.
  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    completionHandler(nil)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    #if canImport(Darwin)
      if let trust = challenge.protectionSpace.serverTrust {
        guard !pins.isEmpty, !PublicKeyPins(pins).match(trust) else {
          return completionHandler(.performDefaultHandling, nil)
        }
        transfer(of: task)?.pinsMismatched()
        return completionHandler(.cancelAuthenticationChallenge, nil)
      }
    #endif
    // A 401 is an answer, and any credentials are in the request already.
    #if canImport(FoundationNetworking)
      // The whole answer has been here when it asks, and no disposition lets the task end well.
      transfers.withLock { $0.removeValue(forKey: ObjectIdentifier(task)) }?.complete(nil)
      completionHandler(.cancelAuthenticationChallenge, nil)
    #else
      completionHandler(.performDefaultHandling, nil)
    #endif
  }

  /// A body is sent once; sending it again is the client's decision.
  func urlSession(
    _ session: URLSession, task: URLSessionTask,
    needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
  ) {
    completionHandler(transfer(of: task)?.takeBodyStream())
  }

  #if canImport(Darwin)
    func urlSession(
      _ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics
    ) {
      transfer(of: task)?.receive(metrics)
    }
  #endif

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    transfers.withLock { $0.removeValue(forKey: ObjectIdentifier(task)) }?.complete(error)
  }
}

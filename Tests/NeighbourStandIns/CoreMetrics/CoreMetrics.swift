// Stands in for swift-metrics 2.5: the declarations that the integrations use, with a small implementation.
import Synchronization

public final class Counter: Sendable {
  public let label: String
  public let dimensions: [(String, String)]
  private let handler: any CounterHandler

  public convenience init(label: String, dimensions: [(String, String)] = []) {
    self.init(
      label: label, dimensions: dimensions,
      handler: MetricsSystem.factory.makeCounter(label: label, dimensions: dimensions))
  }

  public init(label: String, dimensions: [(String, String)], handler: any CounterHandler) {
    self.label = label
    self.dimensions = dimensions
    self.handler = handler
  }

  public func increment<DataType: BinaryInteger>(by amount: DataType) { handler.increment(by: Int64(amount)) }
  public func increment() { increment(by: 1) }
}

public struct TimeUnit: Equatable, Sendable {
  public let scaleFromNanoseconds: UInt64

  public static let nanoseconds = TimeUnit(scaleFromNanoseconds: 1)
  public static let seconds = TimeUnit(scaleFromNanoseconds: 1_000_000_000)
}

public final class Timer: Sendable {
  public let label: String
  public let dimensions: [(String, String)]
  private let handler: any TimerHandler

  public convenience init(
    label: String, dimensions: [(String, String)] = [], preferredDisplayUnit displayUnit: TimeUnit
  ) {
    let handler = MetricsSystem.factory.makeTimer(label: label, dimensions: dimensions)
    handler.preferDisplayUnit(displayUnit)
    self.init(label: label, dimensions: dimensions, handler: handler)
  }

  public init(label: String, dimensions: [(String, String)], handler: any TimerHandler) {
    self.label = label
    self.dimensions = dimensions
    self.handler = handler
  }

  public func recordSeconds<DataType: BinaryFloatingPoint>(_ duration: DataType) {
    let nanoseconds = Double(duration) * 1e9
    handler.recordNanoseconds(nanoseconds < Double(Int64.max) ? Int64(nanoseconds) : Int64.max)
  }
}

public protocol CounterHandler: AnyObject, Sendable {
  func increment(by: Int64)
  func reset()
}

public protocol TimerHandler: AnyObject, Sendable {
  func recordNanoseconds(_ duration: Int64)
  func preferDisplayUnit(_ unit: TimeUnit)
}

extension TimerHandler {
  public func preferDisplayUnit(_ unit: TimeUnit) {}
}

public protocol MetricsFactory: Sendable {
  func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler
  func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler
}

public enum MetricsSystem {
  private static let current = Mutex<(any MetricsFactory)?>(nil)

  public static func bootstrap(_ factory: any MetricsFactory) {
    current.withLock { current in
      precondition(current == nil, "the metrics system is set up once")
      current = factory
    }
  }

  public static var factory: any MetricsFactory {
    guard let factory = current.withLock({ $0 }) else {
      preconditionFailure("the metrics system is not set up")
    }
    return factory
  }
}

// swift-format-ignore-file: AlwaysUseLowerCamelCase, TypeNamesShouldBeCapitalized

// The declarations of Dispatch that this package uses. Linux has Dispatch, too, but it imports Linux's C
// library.

public import Darwin

open class DispatchObject: @unchecked Sendable {
  init() { absent() }
  public func activate() { absent() }
  public func suspend() { absent() }
  public func resume() { absent() }
}

public struct DispatchWorkItemFlags: OptionSet, Sendable {
  public let rawValue: UInt
  public init(rawValue: UInt) { self.rawValue = rawValue }
  public static var barrier: DispatchWorkItemFlags { absent() }
}

public struct DispatchQoS: Sendable, Equatable {
  public static var unspecified: DispatchQoS { absent() }
  public enum QoSClass: Sendable {
    case background, utility, `default`, userInitiated, userInteractive, unspecified
  }
}

public class DispatchGroup: DispatchObject {
  public override init() { absent() }
}

public final class DispatchSpecificKey<T> {
  public init() { absent() }
}

public class DispatchQueue: DispatchObject {
  public enum AutoreleaseFrequency: Sendable { case inherit, workItem, never }
  public struct Attributes: OptionSet, Sendable {
    public let rawValue: UInt64
    public init(rawValue: UInt64) { self.rawValue = rawValue }
  }

  public class func global(qos: DispatchQoS.QoSClass = .default) -> DispatchQueue { absent() }
  public class var main: DispatchQueue { absent() }

  public class func getSpecific<T>(key: DispatchSpecificKey<T>) -> T? { absent() }
  public func setSpecific<T>(key: DispatchSpecificKey<T>, value: T?) { absent() }

  public convenience init(
    label: String, qos: DispatchQoS = .unspecified, attributes: Attributes = [],
    autoreleaseFrequency: AutoreleaseFrequency = .inherit, target: DispatchQueue? = nil
  ) { absent() }

  @preconcurrency public func async(
    group: DispatchGroup? = nil, qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [],
    execute work: @escaping @Sendable @convention(block) () -> Void
  ) { absent() }

  @preconcurrency public func asyncAfter(
    deadline: DispatchTime, qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [],
    execute work: @escaping @Sendable @convention(block) () -> Void
  ) { absent() }

  public func sync<T>(execute work: () throws -> T) rethrows -> T { absent() }
}

public class DispatchSemaphore: DispatchObject {
  public init(value: Int) { absent() }
  @discardableResult public func signal() -> Int { absent() }
  public func wait() { absent() }
  public func wait(timeout: DispatchTime) -> DispatchTimeoutResult { absent() }
}

@frozen public enum DispatchTimeoutResult: Sendable { case success, timedOut }

public struct DispatchTime: Comparable, Sendable {
  public static func now() -> DispatchTime { absent() }
  public static var distantFuture: DispatchTime { absent() }
  public static func < (a: DispatchTime, b: DispatchTime) -> Bool { absent() }
  public static func + (time: DispatchTime, interval: DispatchTimeInterval) -> DispatchTime { absent() }
  public static func + (time: DispatchTime, seconds: Double) -> DispatchTime { absent() }
}

public enum DispatchTimeInterval: Equatable, Sendable {
  case seconds(Int)
  case milliseconds(Int)
  case microseconds(Int)
  case nanoseconds(Int)
  case never
}

public protocol DispatchSourceProtocol: AnyObject {
  typealias DispatchSourceHandler = @convention(block) () -> Void

  func setEventHandler(qos: DispatchQoS, flags: DispatchWorkItemFlags, handler: DispatchSourceHandler?)
  func setCancelHandler(qos: DispatchQoS, flags: DispatchWorkItemFlags, handler: DispatchSourceHandler?)
  func cancel()
  func resume()
  func suspend()
  var handle: UInt { get }
  var data: UInt { get }
  var isCancelled: Bool { get }
}

extension DispatchSourceProtocol {
  @preconcurrency public func setEventHandler(
    qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [],
    handler: (@Sendable @convention(block) () -> Void)?
  ) { absent() }
  @preconcurrency public func setCancelHandler(
    qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [],
    handler: (@Sendable @convention(block) () -> Void)?
  ) { absent() }
  @preconcurrency public func setRegistrationHandler(
    qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [],
    handler: (@Sendable @convention(block) () -> Void)?
  ) { absent() }
  public func activate() { absent() }
}

public protocol DispatchSourceRead: DispatchSourceProtocol {}

public protocol DispatchSourceSignal: DispatchSourceProtocol {}

public class DispatchSource: DispatchObject {
  public class func makeSignalSource(signal: Int32, queue: DispatchQueue? = nil)
    -> any DispatchSourceSignal
  {
    absent()
  }

  public class func makeReadSource(fileDescriptor: Int32, queue: DispatchQueue? = nil)
    -> any DispatchSourceRead
  {
    absent()
  }
}

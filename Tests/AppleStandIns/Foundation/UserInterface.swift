// swift-format-ignore-file: AlwaysUseLowerCamelCase, TypeNamesShouldBeCapitalized

// MARK: User interfaces

public typealias CGFloat = Double

public struct CGPoint: Sendable {
  public init(x: Double, y: Double) { absent() }
  public var x: CGFloat
  public var y: CGFloat
}

public struct CGSize: Sendable {
  public var width: CGFloat
  public var height: CGFloat
}

public struct CGRect: Sendable {
  public init(x: Double, y: Double, width: Double, height: Double) { absent() }
  public var origin: CGPoint
  public var size: CGSize
  public var width: CGFloat { absent() }
  public var height: CGFloat { absent() }
}

public typealias NSRect = CGRect

open class NSCoder: NSObject {}
open class Bundle: NSObject {}

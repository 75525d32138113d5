/// Messages of a kernel, Linux 6.18 on a little-endian machine, in a network namespace with loopback and two
/// ends of a cable: `far`, number 2, and `near`, number 3. Each event and reply is a complete message, except
/// that only the first of a link's many attributes are included.
enum RecordedNetlink {
  static let isReadable = UInt16(1).littleEndian == 1

  static let loopbackUp = response(16, 18, "00000403010000004900010000000000070003006c6f0000")
  static let nearUp = response(16, 18, "00000100030000004310010000000000090003006e65617200000000")
  /// `near` is up, with nothing at its other end.
  static let nearWithoutCarrier = event(16, "00000100030000000310000000000000090003006e65617200000000")
  static let nearDown = event(16, "00000100030000000210000001000000090003006e65617200000000")
  static let nearGone = event(17, "00000100030000000210 0000ffffffff090003006e65617200000000")
  /// `far` has left a bridge.
  static let farFreed = event(17, "070001000200000043100100000000000800030066617200 08000a0004000000")
  static let endOfLinks = response(3, 18, "00000000")

  /// default via 192.0.2.254 dev near
  static let defaultRoute = response(
    24, 26, "02000000fe0300010000000008000f00fe00000008000500c00002fe0800040003000000")
  /// 10.0.0.0/8 via 192.0.2.9 dev near table 51820
  static let routeInOtherTable = response(
    24, 26, "02080000fc0300010000000008000f006cca0000080001000a00000008000500c00002090800040003000000")
  /// 172.16.0.0/12 nhid 7 via 192.0.2.7 dev near
  static let routeByNumber = response(
    24, 26,
    "020c0000fe0300010000000008000f00fe00000008000100ac10000008001e000700000008000500c00002070800040003000000"
  )
  /// 198.51.100.0/24 nexthop via 192.0.2.2 dev near weight 1 nexthop via 192.0.2.3 dev near weight 2
  static let routeOfTwoPaths = response(
    24, 26,
    """
    02180000fe0300010000000008000f00fe00000008000100c63364002400090010000000030000000800\
    0500c0000202100000010300000008000500c0000203
    """)
  /// blackhole 203.0.113.0/24
  static let blackHole = response(24, 26, "02180000fe0300060000000008000f00fe00000008000100cb007100")
  /// local 192.0.2.1 dev near table local
  static let ownAddress = response(
    24, 26,
    "02200000ff02fe020000000008000f00ff00000008000100c000020108000700c00002010800040003000000")
  /// default via 2001:db8::ff dev near
  static let defaultRoute6 = response(
    24, 26,
    """
    0a000000fe0300010000000008000f00fe00000008000600000400001400050020010db80000000000000000000000ff08000400030000\
    0024000c0000000000000000000000000000000000000000000000000000000000000000000500140000000000
    """)
  /// fe80::/64 dev near
  static let linkRoute6 = response(
    24, 26,
    """
    0a400000fe0200010000000008000f00fe00000014000100fe80000000000000000000000000000008000600000100000800040003000000\
    24000c0000000000000000000000000000000000000000000000000000000000000000000500140000000000
    """)
  /// default via 2001:db8::ff dev near, which has lost its carrier; the route is gone.
  static let deadRoute6Gone = event(
    25,
    """
    0a000000fe0300011000000008000f00fe00000008000600000400001400050020010db80000000000000000000000ff08000400030000\
    0024000c0000000000000000000000000000000000000000000000000000000000000000000500140000000000
    """)
  static let endOfRoutes = response(3, 26, "00000000")

  /// The kernel refuses an unknown request with the number 5: EOPNOTSUPP.
  static let refusal =
    bytes("300000000200000005000000b50a0000a1ffffff1c0000006300010305000000")
    + [UInt8](repeating: 0, count: 16)

  private static func response(_ type: UInt8, _ number: UInt8, _ body: String) -> [UInt8] {
    message(type, flags: 2, number, bytes(body))
  }

  private static func event(_ type: UInt8, _ body: String) -> [UInt8] {
    message(type, flags: 0, 0, bytes(body))
  }

  private static func message(_ type: UInt8, flags: UInt8, _ number: UInt8, _ body: [UInt8]) -> [UInt8] {
    [UInt8(16 + body.count), 0, 0, 0, type, 0, flags, 0, number, 0, 0, 0, 0, 0, 0, 0] + body
  }

  private static func bytes(_ digits: String) -> [UInt8] {
    let digits = digits.compactMap { UInt8(String($0), radix: 16) }
    return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
  }
}

import ErrandCore
import ErrandTesting
import Foundation
import TestSupport
import Testing

@testable import ErrandOutbox

@Suite(.computesLong) struct SegmentPlacementTests {
  private func places(_ segments: BodySegment...) -> [SegmentPlacement] {
    SegmentPlacement.places(of: segments)
  }
  private let file = BodySegment.file(path: "/a")

  @Test func `bytes up to the row limit are stored in the row, and one byte more in a file`() {
    let limit = SegmentPlacement.rowLimit
    #expect(places(.bytes(.seeded(limit))) == [.row(.seeded(limit))])
    #expect(places(.bytes(.seeded(limit + 1))) == [.file(.bytes(.seeded(limit + 1)))])
    #expect(places() == [])
    #expect(places(file) == [.file(file)])
  }

  @Test func `adjacent pieces of bytes are combined`() {
    let five = Data.seeded(2) + Data.seeded(3)
    #expect(
      places(.bytes(.seeded(2)), .bytes(Data()), .bytes(.seeded(3)), file, .bytes(Data()), file)
        == [.row(five), .file(file), .file(file)])
  }

  @Test func `pieces that together exceed the limit are stored in files, except the small ones`() {
    let (small, large) = (Data.seeded(4096), Data.seeded(60_000))
    #expect(
      places(.bytes(large), file, .bytes(small), file, .bytes(large))
        == [.file(.bytes(large)), .file(file), .row(small), .file(file), .file(.bytes(large))])
  }

  @Test func `a placement loses nothing and makes no large row, for any pieces`() {
    var random = SeededRandom(seed: 1)
    for _ in 0..<200 {
      var segments: [BodySegment] = []
      for _ in 0..<Int.random(in: 0...12, using: &random) {
        let isFile = Bool.random(using: &random)
        segments.append(isFile ? file : .bytes(.seeded(Int.random(in: 0...40_000, using: &random))))
      }
      let places = SegmentPlacement.places(of: segments)
      func flat(_ segments: [BodySegment]) -> [Data?] {
        segments.reduce(into: [Data()]) { all, segment in
          switch segment {
          case .bytes(let data): all[all.count - 1]?.append(data)
          case .file: all += [nil, Data()]
          }
        }
      }
      let again = places.map { place -> BodySegment in
        switch place {
        case .row(let data): .bytes(data)
        case .file(let segment): segment
        }
      }
      #expect(flat(again) == flat(segments))
      let inRow = places.reduce(0) { if case .row(let data) = $1 { $0 + data.count } else { $0 } }
      #expect(inRow <= max(SegmentPlacement.rowLimit, 13 * SegmentPlacement.smallPiece))
    }
  }
}

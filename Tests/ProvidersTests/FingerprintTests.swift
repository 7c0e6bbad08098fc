import RingiKit
import RingiModel
import Testing

@Suite struct FingerprintTests {
  @Test func itIsTheSameInEveryProcess() {
    // Stored by one version of the agent and read by the next: these must never change.
    #expect(Fingerprint.of([]) == 0x501c_e46a_a4bc_33eb)
    #expect(Fingerprint.of(Array("ringi".utf8)) == 0x0c82_8f90_e201_214b)
    #expect(Fingerprint.of(Array(#"{"id":"4005b254","status":"READY"}"#.utf8)) == 0x3ce3_bcaf_4bba_784c)
  }

  @Test func itDoesNotDependOnWhereTheBytesAre() {
    let bytes = Array("-{\"id\":\"4005b254\",\"status\":\"READY\"}".utf8)
    let moved = bytes.withUnsafeBufferPointer { Fingerprint.of(UnsafeBufferPointer(rebasing: $0[1...])) }
    #expect(moved == Fingerprint.of(Array(bytes[1...])))
  }

  @Test func changesOfOneAndOfTwoCharactersAllTell() {
    let text = Array("\"2026-11-30T05:09:00.000Z\",\"qty\":3".utf8)
    var seen: Set<UInt64> = [Fingerprint.of(text)]
    var variants = 1
    for first in text.indices {
      for second in text.indices where second >= first {
        for change: UInt8 in 1..<16 where first != second || change == 1 {
          var changed = text
          changed[first] ^= first == second ? 3 : change
          if first != second { changed[second] ^= 17 - change }
          seen.insert(Fingerprint.of(changed))
          variants += 1
        }
      }
    }
    #expect(seen.count == variants && variants > 5000)
  }

  @Test func zerosCount() {
    #expect(Set((0..<100).map { Fingerprint.of(Array(repeating: 0, count: $0)) }).count == 100)
  }

  @Test @Loop func tasksThatAreAlreadyMadeHaveFingerprintsOfAllThatTheyAre() throws {
    let id = TaskItem.ID(provider: "sap", key: "a")
    let task = TaskItem(id: id, title: "Order", raw: ["at": 1])
    var others = [task, task, task, task]
    others[0].decidedBy = "Q1"
    others[1].status = .claimed
    others[2].raw = ["at": 2]
    others[3].actions = []
    let items = TaskSnapshot(tasks: [task, task] + others, isComplete: true).items
    #expect(items[0].fingerprint == items[1].fingerprint)
    #expect(Set(items.map(\.fingerprint)).count == 5)
    #expect(try items.map { try $0.task() } == [task, task] + others)
  }
}

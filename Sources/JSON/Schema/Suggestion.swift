/// Guesses what somebody meant by a word that isn't known.
package enum Suggestion {
  /// The candidate nearest to a word; nil when none is near enough to be a slip of the fingers.
  ///
  /// Near is an optimal string alignment distance (insertions, deletions, substitutions, swaps of neighbours) of at
  /// most a third of the word, and at least 1; upper and lower case count as equal.
  package static func nearest(to word: String, among candidates: some Sequence<String>) -> String? {
    let folded = Array(word.lowercased().unicodeScalars)
    // A word of nobody's making would make the table of distances large.
    guard folded.count <= 64 else { return nil }
    let limit = max(1, folded.count / 3)
    var best: (candidate: String, distance: Int)?
    for candidate in candidates {
      let other = Array(candidate.lowercased().unicodeScalars)
      guard abs(other.count - folded.count) <= limit else { continue }
      let distance = distance(folded, other)
      if distance <= limit, distance < best?.distance ?? .max { best = (candidate, distance) }
    }
    return best?.candidate
  }

  private static func distance(_ left: [Unicode.Scalar], _ right: [Unicode.Scalar]) -> Int {
    var beforeLast: [Int] = []
    var last = Array(0...right.count)
    for (row, scalar) in left.enumerated() {
      var current = [row + 1]
      for (column, other) in right.enumerated() {
        var cost = min(last[column + 1] + 1, current[column] + 1, last[column] + (scalar == other ? 0 : 1))
        if row > 0, column > 0, scalar == right[column - 1], left[row - 1] == other {
          cost = min(cost, beforeLast[column - 1] + 1)
        }
        current.append(cost)
      }
      (beforeLast, last) = (last, current)
    }
    return last[right.count]
  }
}

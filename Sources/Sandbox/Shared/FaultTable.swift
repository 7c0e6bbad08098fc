internal import HTTPServer

/// The faults that wait for their requests.
package struct FaultTable: Sendable {
  private(set) var faults: [Fault] = []

  package mutating func add(_ fault: Fault) { faults.append(fault) }

  package mutating func clear() { faults = [] }

  /// The fault that hits a request, counted down; of several the oldest.
  ///
  /// `paths` are the ways in which a route may write the request's path.
  mutating func take(method: String, paths: [[String]]) -> Fault.Kind? {
    for index in faults.indices {
      let fault = faults[index]
      guard fault.method ?? method == method, paths.contains(where: { fault.path.matches($0) }) else { continue }
      if fault.skip > 0 {
        faults[index].skip -= 1
        continue
      }
      if let count = fault.count {
        faults[index].count = count - 1
        if count <= 1 { faults.remove(at: index) }
        if count <= 0 { return take(method: method, paths: paths) }
      }
      return fault.kind
    }
    return nil
  }
}

/// An HTTP answer with its header lines as they came.
package struct RawAnswer {
  package let statusLine: String
  package let headers: [(name: String, value: String)]
  package var body: [UInt8] = []

  package init(head: String) {
    var lines = head.split(separator: "\r\n", omittingEmptySubsequences: false).map(String.init)
    statusLine = lines.removeFirst()
    headers = lines.map { line in
      let sides = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      return (String(sides[0]), sides.count > 1 ? String(sides[1].drop { $0 == " " }) : "")
    }
  }

  package var status: Int { statusLine.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0 }
  package var text: String { String(decoding: body, as: UTF8.self) }

  package subscript(name: String) -> String? { all(name).first }

  package func all(_ name: String) -> [String] {
    headers.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
  }
}

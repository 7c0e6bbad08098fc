/// An HTTP answer with its header lines as they came.
struct RawAnswer {
  let statusLine: String
  let headers: [(name: String, value: String)]
  var body: [UInt8] = []

  init(head: String) {
    var lines = head.split(separator: "\r\n", omittingEmptySubsequences: false).map(String.init)
    statusLine = lines.removeFirst()
    headers = lines.map { line in
      let sides = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      return (String(sides[0]), sides.count > 1 ? String(sides[1].drop { $0 == " " }) : "")
    }
  }

  var status: Int { statusLine.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0 }
  var text: String { String(decoding: body, as: UTF8.self) }

  subscript(name: String) -> String? { all(name).first }

  func all(_ name: String) -> [String] {
    headers.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
  }
}

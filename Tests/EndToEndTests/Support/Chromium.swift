import Foundation

/// A real browser without a window, for one page.
struct Chromium {
  /// The page's DOM, once its scripts have run.
  let dom: String
  private let screenshot: String
  private let folder: AgentFolder

  static let isInstalled = Program.isInstalled("chromium")

  struct Failure: Error { let text: String }

  /// Loads a page in a profile of its own.
  ///
  /// - Parameters:
  ///   - address: The page.
  ///   - width: Of the window, in pixels.
  ///   - height: Of the window, in pixels.
  /// - Throws: `Failure` when it doesn't come to an end.
  init(_ address: String, width: Int = 800, height: Int = 600) throws {
    folder = try AgentFolder()
    screenshot = folder.path("screenshot.png")
    let browser = try Program(
      "chromium",
      [
        "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
        "--force-device-scale-factor=1", "--force-color-profile=srgb", "--no-first-run",
        "--disable-background-networking",
        "--user-data-dir=\(folder.path("profile"))", "--virtual-time-budget=10000", "--window-size=\(width),\(height)",
        "--screenshot=\(screenshot)", "--dump-dom", address,
      ], environment: ["HOME": folder.url.path])
    guard browser.wait(seconds: 120) == 0 else {
      browser.send(SIGKILL)
      throw Failure(text: browser.errorText)
    }
    dom = browser.outputText
  }

  /// The colours of the screenshot at some places, as `#rrggbb`.
  func colors(at places: [(x: Int, y: Int)]) throws -> [String] {
    try read(places.map { "\($0.x),\($0.y)" })
  }

  /// How many pixels of the screenshot have a colour.
  func count(of color: String) throws -> Int { try read([color]).first.flatMap { Int($0) } ?? 0 }

  private func read(_ wishes: [String]) throws -> [String] {
    let result = try Program.run("python3", ["-c", Self.reader, screenshot] + wishes)
    guard result.status == 0 else { throw Failure(text: result.errors) }
    return result.output.split(separator: "\n").map(String.init)
  }

  /// Reads a PNG of 8 bits a channel (ISO/IEC 15948): of each `x,y` it prints the colour, of each colour the count.
  private static let reader = """
    import struct, sys, zlib
    data = open(sys.argv[1], 'rb').read()
    place, packed = 8, b''
    while place < len(data):
        length, kind = struct.unpack('>I4s', data[place:place + 8])
        chunk = data[place + 8:place + 8 + length]
        if kind == b'IHDR':
            width, height, depth, color = struct.unpack('>IIBB', chunk[:10])
        if kind == b'IDAT':
            packed += chunk
        place += 12 + length
    size = {2: 3, 6: 4}[color]
    assert depth == 8
    raw, stride, above, rows = zlib.decompress(packed), width * size, bytearray(width * size), []
    for y in range(height):
        kind, row = raw[y * (stride + 1)], bytearray(raw[y * (stride + 1) + 1:(y + 1) * (stride + 1)])
        for x in range(stride):
            a = row[x - size] if x >= size else 0
            b = above[x]
            c = above[x - size] if x >= size else 0
            p = a + b - c
            nearest = min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2]
            row[x] = (row[x] + [0, a, b, (a + b) // 2, nearest][kind]) & 255
        above = row
        rows.append(row)
    def at(x, y):
        return '#%02x%02x%02x' % tuple(rows[y][x * size:x * size + 3])
    for wish in sys.argv[2:]:
        if ',' in wish:
            print(at(*map(int, wish.split(','))))
        else:
            print(sum(at(x, y) == wish for y in range(height) for x in range(width)))
    """
}

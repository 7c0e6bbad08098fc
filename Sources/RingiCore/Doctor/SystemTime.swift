internal import CLinux
internal import RingiKit
internal import Timing

/// The machine's clock, as far as it can be judged from inside.
enum SystemTime {
  /// Earlier than this program was written, no clock is right: 2025-01-01.
  private static let earliest = Timestamp(seconds: 1_735_689_600)

  static func check(_ now: Timestamp) -> Finding {
    guard now >= earliest else {
      return Finding(
        .clock, .problem, "this machine's clock shows \(now.rfc3339), which is long past",
        advice: "Set it, best by a time service: `timedatectl set-ntp true`.")
    }
    switch ringi_clock_is_kept() {
    case 1: return Finding(.clock, .ok, "a time service keeps this machine's clock right")
    case 0:
      return Finding(
        .clock, .warning, "no time service keeps this machine's clock right",
        advice: "Turn one on: `timedatectl set-ntp true`. In a container, see to the machine around it.")
    default: return Finding(.clock, .skipped, "nobody tells whether this machine's clock is kept right")
    }
  }
}

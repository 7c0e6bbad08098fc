/// What gathers output during a turn and hands it on at the turn's end.
@Loop
public protocol Flushable: AnyObject, Sendable {
  func flush()
}

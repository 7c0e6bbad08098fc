package import EventLoop
package import JSON

/// What the agent has done since it started.
@Loop
package final class Counters {
  package var requests = 0
  package var errors = 0
  package var inFlight = 0
  package var connections = 0

  package init() {}

  package var json: JSONValue {
    [
      "requests": JSONValue(requests), "errors": JSONValue(errors), "inFlight": JSONValue(inFlight),
      "connections": JSONValue(connections),
    ]
  }
}

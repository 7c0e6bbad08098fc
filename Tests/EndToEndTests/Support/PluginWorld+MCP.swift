import JSON

extension PluginWorld {
  /// A configuration with the plugin `p`, which is a server of the Model Context Protocol.
  ///
  /// - Parameters:
  ///   - traits: How the server behaves, see the script.
  ///   - plugin: Members of p.json beside its command and protocol.
  ///   - files: Further files of the configuration.
  /// - Returns: The configuration.
  /// - Throws: What keeps it from being written.
  static func mcp(
    _ traits: JSONValue = [:], _ plugin: JSONValue = [:], files: [String: String] = [:]
  ) throws -> PluginWorld {
    let mcp: JSONValue = ["protocol": "mcp"]
    return try PluginWorld(mcp.merging(plugin), script: server, arguments: [traits.description], files: files)
  }

  /// A server whose tools do what they are called; each call has a thread, and `seen` keeps all that comes.
  static let server = #"""
    import json, os, sys, threading, time

    traits = json.loads(sys.argv[1])
    stateless = traits.get("stateless", False)
    lock = threading.Lock()
    waiting = {}
    seen = []
    listener = None

    def send(**message):
        with lock:
            os.write(1, (json.dumps({"jsonrpc": "2.0", **message}) + "\n").encode())

    def ask(key, method, params):
        waiting[key] = [threading.Event(), None]
        began = time.monotonic()
        send(id=key, method=method, params=params)
        waiting[key][0].wait(20)
        return {"answer": waiting[key][1], "ms": (time.monotonic() - began) * 1000}

    class Refusal(Exception):
        pass

    def text(words):
        return {"content": [{"type": "text", "text": words}], "isError": False}

    def schema(**properties):
        return {"type": "object", "properties": properties, "additionalProperties": False}

    def tool(name, run=lambda id, params: text("done"), input={"type": "object"}, **more):
        tools.append({"name": name, "description": "Does %s." % name, "inputSchema": input, **more})
        runs[name] = run

    def progress(id, params):
        token = params["_meta"]["progressToken"]
        send(method="notifications/progress", params={"progressToken": token, "progress": 1, "total": 2, "message": "half"})
        return text("done")

    def curious(id, params):
        asked = [("a", "ping", {}), ("b", "roots/list", {}), ("c", "sampling/createMessage", {"messages": []}),
                 ("d", "elicitation/create", {"message": "Who?"}), ("e", "tasks/list", {})]
        return {"structuredContent": {"asked": [ask(*one) for one in asked]}}

    def hang_up(id, params):
        global listener
        send(id=listener, result={"resultType": "complete"})
        listener = None
        return text("bye")

    def fill_in(id, params):
        if "inputResponses" not in params:
            form = {"type": "object", "properties": {"name": {"type": "string"}}}
            return {"resultType": "input_required", "requestState": "r%d" % id, "inputRequests": {
                "who": {"method": "elicitation/create", "params": {"message": "Who?", "requestedSchema": form}}}}
        return {"resultType": "complete", "structuredContent": {"params": params, "id": id}}

    def grow(id, params):
        tool("grown")
        tools[:] = [each for each in tools if each["name"] != "plain"]
        meta = {"_meta": {"io.modelcontextprotocol/subscriptionId": listener}} if stateless else {}
        if not stateless or listener is not None:
            for n in range(50):
                send(method="notifications/tools/list_changed", params=meta)
        return text("grown")

    def slow(id, params):
        time.sleep(20)
        return text("late")

    def refuse(id, params):
        raise Refusal(params["arguments"])

    def log(id, params):
        send(method="notifications/message", params={"level": "critical", "logger": "db", "data": {"lost": True}})
        send(method="notifications/resources/updated", params={"uri": "x:y"})
        return text("logged")

    tools, runs = [], {}
    tool("plain", lambda id, params: {"content": [{"type": "text", "text": "it is"}]})
    tool("sum", lambda id, params: {"structuredContent": {"sum": params["arguments"]["a"] + params["arguments"]["b"]},
                                    "content": [{"type": "text", "text": "?"}]},
         schema(a={"type": "integer"}, b={"type": "integer"}) | {"required": ["a", "b"]},
         outputSchema=schema(sum={"type": "integer"}))
    tool("picture", lambda id, params: {"content": [{"type": "text", "text": "see"},
         {"type": "image", "data": "iVBORw0KGgo=", "mimeType": "image/png"}]})
    tool("fail", lambda id, params: {"isError": True, "content": [{"type": "text", "text": "The disk is full."},
         {"type": "image", "data": "", "mimeType": "image/png"}, {"type": "text", "text": "Free some."}]})
    tool("odd", lambda id, params: {"neither": 1})
    tool("asking", lambda id, params: {"resultType": "input_required", "inputRequests": {"roots": {"method": "roots/list"}}})
    tool("wants", lambda id, params: {"resultType": "input_required", "requestState": params.get("requestState", "") + "x"})
    tool("fill_in", fill_in)
    tool("hang_up", hang_up)
    tool("ask", lambda id, params: {"structuredContent": ask("k%d" % id, **params["arguments"])})
    tool("progress", progress)
    tool("curious", curious)
    tool("grow", grow)
    tool("slow", slow)
    tool("refuse", refuse)
    tool("log", log)
    tool("params", lambda id, params: {"structuredContent": {"params": params}})
    tool("seen", lambda id, params: {"structuredContent": {"seen": seen}})
    tool("exit", lambda id, params: os._exit(3))
    tool("write", lambda id, params: os._exit(4), annotations={"readOnlyHint": False})
    tool("get weather", lambda id, params: text("1"))
    tool("get/weather", lambda id, params: text("2"))
    tool("天気", lambda id, params: text("3"))
    tool("broken", input={"type": "objekt"})

    def initialize(id, params):
        if stateless:
            raise Refusal({"code": -32601, "message": "Method not found: initialize"})
        if "only" in traits and params["protocolVersion"] != traits["only"]:
            raise Refusal({"code": -32602, "message": "Unsupported protocol version",
                           "data": {"supported": [traits["only"]], "requested": params["protocolVersion"]}})
        if traits.get("chatty"):
            send(id="early", method="ping")
            send(method="notifications/tools/list_changed")
        return {"protocolVersion": traits.get("revision", params["protocolVersion"]),
                "capabilities": {"tools": {"listChanged": True}, "logging": {}}, "serverInfo": {"name": "p", "version": "1"}}

    def discover(id, params):
        return {"resultType": "complete", "supportedVersions": traits.get("versions", ["2026-07-28"]),
                "capabilities": {"tools": {"listChanged": True}}}

    def list_tools(id, params):
        if "nosy" in traits:
            form = {"type": "object", "properties": {"name": {"type": "string"}}}
            answer = ask("nosy", "elicitation/create", {"message": "Who?", "requestedSchema": form})["answer"]
            if answer.get("result") != traits["nosy"]:
                raise Refusal({"code": -32603, "message": "Nobody: " + json.dumps(answer)})
        if "endless" in traits:
            return {"tools": tools[:8], "nextCursor": "x" if traits["endless"] == "same" else str(len(seen))}
        if "count" in traits:
            names = ["tool%03d" % n for n in range(traits["count"])]
            runs.update({name: runs["params"] for name in names})
            start = int(params.get("cursor", "0"))
            page = {"tools": [{"name": name, "inputSchema": {"type": "object"}} for name in names[start:start + 50]]}
            return page | ({"nextCursor": str(start + 50)} if start + 50 < len(names) else {})
        return {"tools": tools}

    def listen(id, params):
        global listener
        listener = id
        send(method="notifications/subscriptions/acknowledged",
             params={"_meta": {"io.modelcontextprotocol/subscriptionId": id}, "notifications": params["notifications"]})
        raise SystemExit

    def call(id, params):
        return runs[params["name"]](id, params)

    methods = {"initialize": initialize, "tools/list": list_tools, "tools/call": call}
    if stateless:
        methods |= {"server/discover": discover, "subscriptions/listen": listen}

    def work(message):
        id, params = message["id"], message.get("params", {})
        try:
            if message["method"] not in methods:
                raise Refusal({"code": -32601, "message": "Method not found: " + message["method"]})
            meta = params.get("_meta", {})
            if stateless and message["method"] != "initialize":
                if meta.get("io.modelcontextprotocol/protocolVersion") != "2026-07-28" \
                        or "io.modelcontextprotocol/clientCapabilities" not in meta:
                    raise Refusal({"code": -32602, "message": "_meta lacks what it needs"})
            result = methods[message["method"]](id, params)
            if traits.get("batches"):
                with lock:
                    os.write(1, (json.dumps([{"jsonrpc": "2.0", "id": id, "result": result}]) + "\n").encode())
            else:
                send(id=id, result=result)
        except SystemExit:
            pass
        except Refusal as refusal:
            send(id=id, error=refusal.args[0])

    for line in sys.stdin:
        message = json.loads(line)
        seen.append(message)
        if "method" not in message:
            entry = waiting.get(message["id"])
            if entry:
                entry[1] = message
                entry[0].set()
        elif "id" in message:
            threading.Thread(target=work, args=(message,), daemon=True).start()
    """#
}

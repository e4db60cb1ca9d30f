//! A conversation with the proxy on its standard streams: the test is its conductor.
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

struct Conductor {
    proxy: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Conductor {
    fn start() -> Self {
        let mut proxy = Command::new(env!("CARGO_BIN_EXE_my-extension"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let input = proxy.stdin.take().unwrap();
        let output = BufReader::new(proxy.stdout.take().unwrap());
        Self { proxy, input, output }
    }

    /// Sends a message to the proxy, and returns the next message of the proxy.
    fn exchange(&mut self, mut message: Value) -> Value {
        message["jsonrpc"] = json!("2.0");
        writeln!(self.input, "{message}").unwrap();
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap()
    }

    /// Answers the proxy's request to its successor.
    fn answer(&mut self, request: &Value, result: Value) -> Value {
        self.exchange(json!({"id": request["id"], "result": result}))
    }
}

impl Drop for Conductor {
    fn drop(&mut self) {
        let _ = self.proxy.kill();
        let _ = self.proxy.wait();
    }
}

#[test]
fn adds_its_tool_to_a_session() {
    let mut conductor = Conductor::start();
    let forwarded = conductor.exchange(json!({
        "id": 1, "method": "proxy/initialize", "params": {"protocolVersion": 1, "clientCapabilities": {}}
    }));
    assert_eq!(forwarded["method"], "proxy/successor");
    assert_eq!(forwarded["params"]["method"], "initialize");
    let capabilities = json!({"mcpCapabilities": {"acp": true}});
    let initialized = conductor.answer(
        &forwarded,
        json!({"protocolVersion": 1, "agentCapabilities": capabilities}),
    );
    assert_eq!(initialized["id"], 1);

    let forwarded = conductor.exchange(json!({
        "id": 2, "method": "session/new", "params": {"cwd": "/", "mcpServers": []}
    }));
    let server = &forwarded["params"]["params"]["mcpServers"][0];
    assert_eq!(
        (&server["type"], &server["name"]),
        (&json!("acp"), &json!("my-extension"))
    );
    let opened = conductor.answer(&forwarded, json!({"sessionId": "s"}));
    assert_eq!(opened["result"]["sessionId"], "s");

    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {}
    });
    let called = conductor.exchange(json!({"id": 3, "method": "proxy/successor", "params": {
        "method": "mcp/message", "params": {
            "serverId": server["serverId"], "requestId": "1", "method": "tools/call",
            "params": {"name": "count_words", "arguments": {"text": "one two\nthree\n"}, "_meta": meta}
        }
    }}));
    let result = &called["result"]["result"];
    assert_eq!(result["structuredContent"], json!({"lines": 2, "words": 3}), "{called}");
}

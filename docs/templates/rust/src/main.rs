//! A proxy that adds one MCP server with one tool to every session. It forwards everything else unchanged.
use agent_client_protocol::{Conductor, Proxy, Result, Stdio, mcp_server::McpServer};
use agent_client_protocol_rmcp::rmcp_3::McpServerExt;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Deserialize, JsonSchema)]
struct Text {
    /// The text to count.
    text: String,
}

#[derive(Serialize, JsonSchema)]
struct Counts {
    lines: usize,
    words: usize,
}

fn count(text: &str) -> Counts {
    Counts {
        lines: text.lines().count(),
        words: text.split_whitespace().count(),
    }
}

#[tokio::main]
async fn main() -> Result<()> {
    let server = McpServer::<Conductor, _>::builder("my-extension")
        .tool_fn(
            "count_words",
            "Counts the lines and the words of a text.",
            async |Text { text }: Text, _cx| Ok(count(&text)),
            agent_client_protocol::tool_fn!(),
        )
        .build();
    // Standard output is the protocol. Write logs to standard error.
    Proxy
        .v1()
        .name("my-extension")
        .with_mcp_server(server)
        .connect_to(Stdio::new())
        .await
}

#[cfg(test)]
mod tests {
    use super::count;

    #[test]
    fn counts_lines_and_words() {
        let counts = count("one two\nthree\n");
        assert_eq!((counts.lines, counts.words), (2, 3));
    }
}

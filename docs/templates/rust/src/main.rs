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
    #[serde(skip_serializing_if = "Option::is_none")]
    characters: Option<usize>,
}

/// The user's settings. `extension.json` declares them, and Symposium passes them as JSON in an environment variable.
#[derive(Clone, Copy, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Settings {
    /// Whether the tool also counts characters.
    count_characters: bool,
}

impl Settings {
    /// Users can edit the JSON. Invalid settings have their defaults.
    fn read(json: &str) -> Self {
        serde_json::from_str(json).unwrap_or_default()
    }
}

fn count(text: &str, settings: Settings) -> Counts {
    Counts {
        lines: text.lines().count(),
        words: text.split_whitespace().count(),
        characters: settings.count_characters.then(|| text.chars().count()),
    }
}

#[tokio::main]
async fn main() -> Result<()> {
    let settings = Settings::read(&std::env::var("SYMPOSIUM_EXTENSION_SETTINGS").unwrap_or_default());
    let server = McpServer::<Conductor, _>::builder("my-extension")
        .tool_fn(
            "count_words",
            "Counts the lines and the words of a text.",
            async move |Text { text }: Text, _cx| Ok(count(&text, settings)),
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
    use super::{Settings, count};

    #[test]
    fn counts_lines_and_words() {
        let counts = count("one two\nthree\n", Settings::default());
        assert_eq!((counts.lines, counts.words, counts.characters), (2, 3, None));
    }

    #[test]
    fn counts_characters_if_the_settings_say_so() {
        for (json, characters) in [
            (r#"{"countCharacters": true}"#, Some(3)),
            (r#"{"countCharacters": 1}"#, None),
            ("", None),
        ] {
            assert_eq!(count("one", Settings::read(json)).characters, characters, "{json}");
        }
    }
}

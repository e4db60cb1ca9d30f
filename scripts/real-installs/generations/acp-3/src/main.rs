//! `pass`: a proxy that changes nothing. Any other arguments: the conductor of this generation.
use agent_client_protocol::{Proxy, Stdio};
use agent_client_protocol_conductor::ConductorArgs;
use clap::Parser;

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    if std::env::args().nth(1).as_deref() != Some("pass") {
        return ConductorArgs::parse().main().await;
    }
    Proxy.builder().name("pass").connect_to(Stdio::new()).await?;
    Ok(())
}

//! `pass`: a proxy that changes nothing. Any other arguments: the conductor of this generation.
use clap::Parser;

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    if std::env::args().nth(1).as_deref() != Some("pass") {
        return sacp_conductor::ConductorArgs::parse().main().await;
    }
    sacp::Proxy.builder().name("pass").connect_to(sacp_tokio::Stdio::new()).await?;
    Ok(())
}

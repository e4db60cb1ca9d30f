//! `pass`, `pass-v2`: a proxy of one version of ACP that changes nothing. Any other arguments: the conductor of this generation.
use agent_client_protocol::{Proxy, Stdio};
use agent_client_protocol_conductor::ConductorArgs;
use clap::Parser;

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    match std::env::args().nth(1).as_deref() {
        Some("pass") => Proxy.v1().name("pass").connect_to(Stdio::new()).await?,
        Some("pass-v2") => Proxy.v2().name("pass").connect_to(Stdio::new()).await?,
        _ => return ConductorArgs::parse().main().await,
    }
    Ok(())
}

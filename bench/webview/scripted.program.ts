/** The scripted agent, which is told to flood. */
import "../../sidecar/testing/scripted-agent.program";

/** The scripted agent; its script floods the sidecar. */
import "../../sidecar/testing/scripted-agent.program";

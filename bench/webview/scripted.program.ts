/** The scripted agent; its script floods the sidecar. */
import "../../sidecar/testing/programs/scripted-agent.program";

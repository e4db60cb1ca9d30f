/** The sidecar, as the extension starts it. */
import "../../sidecar/main";

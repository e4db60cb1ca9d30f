/** The command line itself, as it is built, to be started by tests. */
import "../main";

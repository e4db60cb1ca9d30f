/** The command line as built, for tests that start it. */
import "../../main";

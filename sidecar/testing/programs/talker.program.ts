/**
 * talker.ts as an agent on stdio. Arguments: SEED COUNT SLOW-EVERY. Prints the outcome on stderr and exits with 0 or 1.
 */
import { ndjsonChannel } from "../../rpc/ndjson-channel";
import { Talker } from "../chain/talker";

const [seed = 0, count = 0, slowEvery = 0] = process.argv.slice(2).map(Number);
const { over } = new Talker(ndjsonChannel(process.stdin, process.stdout), { as: "agent", seed, count, slowEvery });
over.then(
  outcome => {
    process.stderr.write(JSON.stringify(outcome));
  },
  (error: unknown) => {
    process.stderr.write(String(error));
    process.exitCode = 1;
  },
);

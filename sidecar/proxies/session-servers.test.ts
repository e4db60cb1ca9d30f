import { deepEqual } from "node:assert/strict";
import { arrayOr, objectOr } from "../rpc/json";
import { rig } from "../testing/chain/proxy-rig";
import { turn } from "../testing/turn";
import { SessionServers } from "./session-servers";

suite("SessionServers", () => {
  test("assigns unique server names", async () => {
    const { client, successor } = rig(chain => {
      const servers = new SessionServers(chain);
      return {
        fromClient: {
          requests: {
            "session/new": request =>
              servers.setup(
                request,
                ["git", "docs"].map(name => servers.offer(name, async () => undefined)),
              ),
          },
        },
      };
    });
    client.deliver({
      id: 1,
      method: "session/new",
      params: { cwd: "/", mcpServers: [{ name: "git", command: "/bin/git" }] },
    } as never);
    await turn();
    const sent = successor.frames.at(-1)?.message,
      params = sent && "params" in sent ? objectOr(sent.params) : {};
    deepEqual(
      arrayOr(params.mcpServers).map(server => objectOr(server).name),
      ["git", "git_2", "docs"],
    );
  });
});

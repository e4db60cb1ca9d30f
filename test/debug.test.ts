import { WAYS, World } from "./delivery/world";
import { drained } from "./delivery/setting";
test("debug", async () => {
  const world: any = new World(3);
  const w = world.webview;
  const send1 = w.toPage.send.bind(w.toPage); w.toPage.send = (x: any) => { console.log("  →page", world.clock.now(), JSON.stringify(x.message).slice(0, 400)); send1(x); };
  const send2 = w.toHost.send.bind(w.toHost); w.toHost.send = (x: any) => { console.log("  page→", world.clock.now(), JSON.stringify(x).slice(0, 400)); send2(x); };
  w.show(); w.load(0); await world.flow(10); world.openTab(); world.prompt(0); world.prompt(1); await world.flow(20);
  console.log("tick"); await world.tick(4000);
  console.log("kill"); await world.kill(1); await drained();
  await world.finish().catch((e: any) => console.log(e));
});

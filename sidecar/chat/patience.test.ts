import { deepEqual, equal } from "node:assert/strict";
import { FakeClock } from "../testing/fake-clock";
import { Patience } from "./patience";

class World {
  readonly clock = new FakeClock();
  readonly told: string[] = [];
  asking = false;
  readonly patience = new Patience(this.clock, () => this.asking);
  readonly tell = (event: object): void => {
    this.told.push(Object.values(event).join(" "));
  };
  wait(seconds: number): readonly string[] {
    this.clock.advance(seconds * 1000);
    return this.told.splice(0);
  }
}

suite("patience with an agent", () => {
  test("that starts ends after ten and after thirty seconds, unless it waits for a person", () => {
    const world = new World();
    world.patience.toOpen(world.tell);
    deepEqual(world.wait(9), []);
    deepEqual(world.wait(1), ["slow 10"]);
    deepEqual(world.wait(100), ["slow 30"]);
    world.asking = true;
    world.patience.toOpen(world.tell);
    deepEqual(world.wait(100), []);
    equal(world.clock.waiting, 0);
  });

  test("that says nothing in its turn ends after three minutes since its last word, once, unless it waits for a person", () => {
    const world = new World();
    world.patience.toHear(world.tell);
    deepEqual(world.wait(120), []);
    world.patience.heard();
    deepEqual(world.wait(179), []);
    world.asking = true;
    deepEqual(world.wait(600), []);
    world.asking = false;
    deepEqual(world.wait(180), ["silent 3"]);
    deepEqual(world.wait(600), []);
    equal(world.clock.waiting, 0);
  });

  test("that is to stop ends after ten seconds, and for good after a minute", () => {
    const world = new World();
    world.patience.toHear(world.tell);
    world.patience.toStop(world.tell);
    deepEqual(world.wait(10), ["cancelOverdue"]);
    deepEqual(world.wait(50), ["cancelGivenUp"]);
    deepEqual(world.wait(600), []);
  });

  test("that has done it does not end", () => {
    const world = new World();
    for (const wait of [world.patience.toOpen, world.patience.toHear, world.patience.toStop]) {
      wait.call(world.patience, world.tell);
      world.patience[Symbol.dispose]();
      deepEqual(world.wait(600), []);
      equal(world.clock.waiting, 0);
    }
  });
});

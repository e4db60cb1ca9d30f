/** Circumstances of a card in tests: a question can be answered, and no other entry affects it. */
import { OWN_PLACE, type RenderContext } from "../view-model/cards/card";

export const ANSWERABLE: RenderContext = {
  growing: false,
  answerable: true,
  answering: false,
  terminals: [],
  cwd: "/w",
  place: OWN_PLACE,
};

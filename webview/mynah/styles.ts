/** Styles of the chat page. The order decides between rules of equal specificity. */
import code from "../components/code.css";
import composer from "../components/composer.css";
import diagram from "../components/diagram.css";
import elements from "../components/elements.css";
import formula from "../components/formula.css";
import firstScreen from "../components/first-screen.css";
import review from "../components/review.css";
import startLine from "../components/start-line.css";
import layout from "./layout.css";
import overrides from "./overrides.css";

export const styles = [
  overrides,
  elements,
  code,
  composer,
  diagram,
  formula,
  firstScreen,
  startLine,
  review,
  layout,
].join("\n");

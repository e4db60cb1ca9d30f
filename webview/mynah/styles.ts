/** Styles of the chat page. The order decides between rules of equal specificity. */
import composer from "../components/composer.css";
import elements from "../components/elements.css";
import firstScreen from "../components/first-screen.css";
import layout from "./layout.css";
import overrides from "./overrides.css";

export const styles = [overrides, elements, composer, firstScreen, layout].join("\n");

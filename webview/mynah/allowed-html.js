// An allow-list of elements and attributes for HTML of mynah-ui. mynah-ui is patched to call `setHtml` instead of
// assigning `innerHTML`.

/**
 * Replaces the content of an element. Parses the HTML in an inert document, where nothing loads or runs, and rebuilds
 * it from the parsed tree with an allow-list. An element that is not on the list is replaced by its source as text. The
 * function is inserted into the page as text and may therefore use only its parameters and the document.
 */
function setHtml(target, html) {
  const ELEMENTS = new Set(
    (
      "a b bdi blockquote br code del div em h1 h2 h3 h4 h5 h6 hr i input li ol p pre span " +
      "strong table tbody td th thead tr ul"
    ).split(" "),
  );
  const OF_ALL = ["class", "title"];
  const ATTRIBUTES = {
    a: ["href", "target"],
    input: ["type", "checked", "disabled"],
    ol: ["start"],
    td: ["align"],
    th: ["align"],
  };
  const SCHEMES = ["http", "https", "mailto", "file"];
  const IGNORED = /[\u0000-\u0020\u007f-\u00a0\u00ad\u200b-\u200f\u2028-\u202f\ufeff]/g;
  // The parser has decoded entities. Browsers skip blanks and control characters before they parse the scheme.
  const opens = address => {
    const scheme = /^([^/?#]*?):/.exec(address.replace(IGNORED, ""));
    return scheme === null || SCHEMES.includes(scheme[1].toLowerCase());
  };
  const isCheckbox = element => element.getAttribute("type") === "checkbox" && element.hasAttribute("disabled");
  const isAllowed = element =>
    element.namespaceURI === "http://www.w3.org/1999/xhtml" &&
    ELEMENTS.has(element.localName) &&
    (element.localName !== "input" || isCheckbox(element));
  // Copies one node at a time, because code may have more nodes than a call allows arguments.
  const copyInto = (to, from) => {
    for (const node of from.childNodes) {
      if (node.nodeType === Node.TEXT_NODE) to.append(node.data);
      else if (node.nodeType === Node.ELEMENT_NODE) to.append(isAllowed(node) ? copyOf(node) : node.outerHTML);
    }
    return to;
  };
  const copyOf = element => {
    const copy = document.createElement(element.localName);
    for (const name of [...OF_ALL, ...(ATTRIBUTES[element.localName] ?? [])]) {
      const value = element.getAttribute(name);
      if (value !== null && (name !== "href" || opens(value))) copy.setAttribute(name, value);
    }
    return copyInto(copy, element);
  };
  // The content of a style sheet is text of mynah-ui itself.
  if (target.localName === "style") {
    target.textContent = html;
    return;
  }
  const parsed = document.createElement("template");
  parsed.innerHTML = html;
  target.replaceChildren(copyInto(document.createDocumentFragment(), parsed.content));
}

module.exports = { setHtml };

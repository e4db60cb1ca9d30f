// The elements and attributes that HTML of mynah-ui may bring into the page: mynah-ui is patched to call `setHtml`
// where it assigns `innerHTML`.

/**
 * Replaces the content of an element. The HTML is parsed in an inert document, where nothing loads or runs, and is
 * built anew from the parsed tree, by an allow-list. An element that is not on the list becomes its source as text.
 * Runs in the page, as text: it uses nothing but its parameters and the document.
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
  // The parser has decoded entities. Browsers skip blanks and control characters before they read the scheme.
  const opens = address => {
    const scheme = /^([^/?#]*?):/.exec(address.replace(IGNORED, ""));
    return scheme === null || SCHEMES.includes(scheme[1].toLowerCase());
  };
  const isCheckbox = element => element.getAttribute("type") === "checkbox" && element.hasAttribute("disabled");
  const isAllowed = element =>
    element.namespaceURI === "http://www.w3.org/1999/xhtml" &&
    ELEMENTS.has(element.localName) &&
    (element.localName !== "input" || isCheckbox(element));
  // One node at a time: code may have more of them than a call has room for arguments.
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
  // The content of a style sheet is text, which mynah-ui wrote itself.
  if (target.localName === "style") {
    target.textContent = html;
    return;
  }
  const parsed = document.createElement("template");
  parsed.innerHTML = html;
  target.replaceChildren(copyInto(document.createDocumentFragment(), parsed.content));
}

module.exports = { setHtml };

// Patches of mynah-ui 4.39.0. A webpack loader applies them to its single minified file at build time. mynah was
// designed for answers of a few hundred words. Most patches remove work that grows with the length of the conversation.
// The last ones restrict links and HTML.
//
// Each `find` must occur in the file exactly once; otherwise the build fails. Review all patches for each new version.
const { setHtml } = require("./allowed-html.js");

const PATCHES = [
  {
    why: "Each code highlighter registers its plug-in again, and every later highlighter runs all of them.",
    find: "this.props=e,A.default.addPlugin(p.mergeHTMLPlugin),A.default.configure({ignoreUnescapedHTML:!0});",
    put: "this.props=e,A.default.symposiumReady||(A.default.symposiumReady=!0,A.default.addPlugin(p.mergeHTMLPlugin),A.default.configure({ignoreUnescapedHTML:!0}));",
  },
  {
    why: "Lines of diffs are highlighted by the same program.",
    find: ";t.SyntaxHighlighter=class{",
    put: `;(${prepareHighlighter})(A.default);t.SyntaxHighlighter=class{`,
  },
  {
    why: "Growing code and inline code are not highlighted; they only receive the highlighter's class.",
    find: "innerHTML:a});A.default.highlightElement(g);",
    put: 'innerHTML:a});!0!==e.block||e.symposiumGrows?g.classList.add("hljs"):A.default.highlightElement(g);',
  },
  {
    why: "All code is also highlighted as a diff, although only diffs show the result.",
    find: "A.default.highlightElement(C);const b=",
    put: "C&&!e.symposiumGrows&&A.default.highlightElement(C);const b=",
  },
  {
    why: "Every change of a tab's store makes a deep copy of the store with the conversation.",
    find: "this.store=Object.assign((0,l.default)(this.store),e)},this.resetStore",
    put: "this.store=Object.assign({},this.store,e)},this.resetStore",
  },
  {
    why: "Adding a card also copies the list of cards, although its readers copy it or do not change it.",
    find: "this.getValue=e=>(0,l.default)(this.store[e])",
    put: 'this.getValue=e=>"chatItems"===e?this.store[e]:(0,l.default)(this.store[e])',
  },
  {
    why: "Each card, header and folded part subscribes to the store permanently, for avatars that are not used here.",
    find: '.subscribe("showChatAvatars",(e=>{e&&this.canShowAvatar()?(this.chatAvatar=this.getChatAvatar(),this.render.insertChild("afterbegin",this.chatAvatar)):this.chatAvatar.remove()}))',
    put: "",
  },
  {
    why: "Every word of a growing text becomes two elements, for an animation that is disabled here.",
    find: "let b=e;if(!0===this.props.useParts&&b.nodeType===Node.TEXT_NODE&&",
    put: "let b=e;if(!1&&",
  },
  {
    why: "Every update parses and renders a growing text from its start; this keeps blocks with an unchanged source.",
    find: "t.parseMarkdown=(e,t)=>",
    put: "t.symposiumMarked=a.marked,t.parseMarkdown=(e,t)=>",
  },
  {
    why: "… a card body stores its blocks and those of the previous body",
    find: '[...Array.from(i.DomBuilder.getInstance().build({type:"div",innerHTML:`${(0,d.parseMarkdown)(o,{includeLineBreaks:!0})}`}).childNodes).map(((e,t)=>{var n;const a=this.processNode(e);return null===(n=a.setAttribute)||void 0===n||n.call(a,"render-index",t.toString()),(0,i.cleanupElement)(a),a}))]',
    put: `(${blocksOf})(this,o,e.symposiumBefore,d.symposiumMarked,html=>Array.from(i.DomBuilder.getInstance().build({type:"div",innerHTML:html}).children),i.cleanupElement)`,
  },
  {
    why: "… the previous body is passed to the new one",
    find: "this.getCardContent=()=>{var e,t;return new i.CardBody({body:",
    put: "this.getCardContent=()=>{var e,t;return new i.CardBody({symposiumBefore:null==this.contentBody?void 0:this.contentBody.symposiumBlocks,body:",
  },
  {
    why: "… placeholders change nothing, and a block that becomes code or text replaces the previous one",
    find: 'else if(t.innerHTML!==a.innerHTML)if(t.classList.contains("mynah-syntax-highlighter")){',
    put: `else if(!t.classList.contains("symposium-same")&&(${differs})(t,a))if((${sameCode})(t,a)){`,
  },
  {
    why: "… the height of code, which forces a layout, is measured only until it exceeds the maximum",
    find: 'n.scrollHeight>n.clientHeight&&a.classList.add("max-height-exceed")',
    put: '!a.classList.contains("max-height-exceed")&&n.scrollHeight>n.clientHeight&&a.classList.add("max-height-exceed")',
  },
  {
    why: "… blocks that merged with the previous block are removed",
    find: "else a.replaceWith(t)})),this.contentBody=e,this.typewriterItemIndex=n.length}",
    put: 'else a.replaceWith(t)})),Array.from(this.render.children).forEach(t=>{Number(t.getAttribute("render-index"))>=e.symposiumCount&&t.remove()}),this.contentBody=e,this.typewriterItemIndex=n.length}',
  },
  {
    why: "… the highlighter receives a flag for a growing block",
    find: "o=new s.SyntaxHighlighter({codeStringWithMarkup:(0,r.default)(i),language:",
    put: "o=new s.SyntaxHighlighter({symposiumGrows:this.symposiumGrows,codeStringWithMarkup:(0,r.default)(i),language:",
  },
  {
    why: "… code and links are not marked for the animation either, so they remain when the text is complete",
    find: "}).render;return!0===this.props.useParts&&o.classList.add(t.PARTS_CLASS_NAME),e&&",
    put: "}).render;return e&&",
  },
  {
    why: "(links)",
    find: 'build({type:"a",classNames:!0===this.props.useParts?[t.PARTS_CLASS_NAME]:[],',
    put: 'build({type:"a",classNames:[],',
  },
  {
    why: "Links lose their titles, which tell the address.",
    find: 'attributes:{href:null!==(d=b.getAttribute("href"))&&void 0!==d?d:"",target:"_blank"},innerHTML:b.innerHTML})',
    put: 'attributes:{href:null!==(d=b.getAttribute("href"))&&void 0!==d?d:"",target:"_blank",title:b.getAttribute("title")??""},innerHTML:b.innerHTML})',
  },
  {
    why: "Every update removes and adds a card's classes again, which recalculates the styles of its content.",
    find: "(void 0!==t.classNames&&(e.classList.remove(...e.builderObject.classNames),",
    put: '(void 0!==t.classNames&&t.classNames.join(" ")!==e.builderObject.classNames.join(" ")&&(e.classList.remove(...e.builderObject.classNames),',
  },
  {
    why: "The height of inline code is measured, which forces a layout, although inline code is never too high.",
    find: "setTimeout((()=>{!0===this.props.block&&!0!==this.props.unlimitedHeight&&b.scrollHeight",
    put: "!0===this.props.block&&setTimeout((()=>{!0!==this.props.unlimitedHeight&&b.scrollHeight",
  },
  {
    why: "Inline code contains the hidden button of long code and the hidden code of a diff.",
    find: "const _=new u.MoreContentIndicator({icon:o.MynahIcons.DOWN_OPEN,border:!1,onClick:()=>{this.render.hasClass(",
    put: "const _=!0===e.block&&new u.MoreContentIndicator({icon:o.MynahIcons.DOWN_OPEN,border:!1,onClick:()=>{this.render.hasClass(",
  },
  {
    why: "(the diff)",
    find: 'const C=i.DomBuilder.getInstance().build({type:"code",classNames:["diff","language-diff"],innerHTML:a});',
    put: 'const C=null!=e.language&&null!=e.language.match("diff")&&i.DomBuilder.getInstance().build({type:"code",classNames:["diff","language-diff"],innerHTML:a});',
  },
  {
    why: "Links accept any URL, such as `javascript:`, and quotes in URL or title can start other attributes.",
    find: 'return/^\\[(?:\\[([^\\]]+)\\]|([^\\]]+))\\]\\(([^)]+)\\)$/.test(e.raw)?`<a href="${e.href}" target="_blank" title="${null!==(t=e.title)&&void 0!==t?t:e.text}">${e.text}</a>`:e.href',
    put: `return(${linkOf})(e)`,
  },
  {
    why: "Text between single tildes is struck through, although `~` is the home folder.",
    find: "del:/^(~~?)(?=[^\\s~])",
    put: "del:/^(~~)(?=[^\\s~])",
  },
  {
    why: "HTML, mostly from agents' Markdown, is parsed in the page, where its resources load and its scripts run.",
    find: '"string"==typeof s.innerHTML?c.innerHTML=s.innerHTML:',
    put: '"string"==typeof s.innerHTML?symposiumSetHtml(c,s.innerHTML):',
  },
  {
    why: "(when an element is changed)",
    find: '"string"==typeof t.innerHTML?e.innerHTML=t.innerHTML:',
    put: '"string"==typeof t.innerHTML?symposiumSetHtml(e,t.innerHTML):',
  },
  {
    why: "(the header of a card)",
    find: 't=document.createElement("div");t.innerHTML=e;',
    put: 't=document.createElement("div");symposiumSetHtml(t,e);',
  },
  {
    why: "(a card's own HTML)",
    find: "(e.innerHTML=(0,g.cleanHtml)(this.props.chatItem.customRenderer))",
    put: "symposiumSetHtml(e,(0,g.cleanHtml)(this.props.chatItem.customRenderer))",
  },
  {
    why: "(the label of a list)",
    find: "null!=e&&(e.innerHTML=this.getDisplayLabel())",
    put: "null!=e&&symposiumSetHtml(e,this.getDisplayLabel())",
  },
  {
    why: "(the title of a tab)",
    find: "void 0!==n&&(n.innerHTML=t)}",
    put: "void 0!==n&&symposiumSetHtml(n,t)}",
  },
  {
    why: "(colored code)",
    find: "e.innerHTML=r.value,e.dataset.highlighted",
    put: "symposiumSetHtml(e,r.value),e.dataset.highlighted",
  },
  {
    why: "(colored code with markup in it)",
    find: 's=document.createElement("div");s.innerHTML=r.value,',
    put: 's=document.createElement("div");symposiumSetHtml(s,r.value),',
  },
  {
    why: "(colored code with markup in it, merged)",
    find: "(e,a(s),o),i.innerHTML=r.value}",
    put: "(e,a(s),o),symposiumSetHtml(i,r.value)}",
  },
  {
    why: "The hidden background picture of the chat is HTML that is not in the list of allowed elements.",
    find: 'classNames:["mynah-ui-gradient-background"],innerHTML:',
    put: 'classNames:["mynah-ui-gradient-background"],symposiumHidden:',
  },
];

/**
 * Gives the highlighter to other modules, and adds a class to words that declare something: grammars of VS Code
 * distinguish them from other keywords, and themes color them differently. The function is inserted into the page as
 * text and may therefore use only its parameter.
 */
function prepareHighlighter(highlighter) {
  const STORAGE =
    /<span class="hljs-keyword">(abstract|async|auto|class|const|def|enum|extends|fn|func|function|impl|implements|interface|lambda|let|mod|module|mut|namespace|override|package|private|protected|public|readonly|static|struct|trait|type|val|var|void)<\/span>/g;
  highlighter.addPlugin({
    "after:highlight": result => {
      result.value = result.value.replace(STORAGE, '<span class="hljs-keyword storage_">$1</span>');
    },
  });
  globalThis.symposiumHighlighter = highlighter;
}

/**
 * Returns a link if its address is relative or has a scheme that the host opens; otherwise its text and the address as
 * text. The function is inserted into the page as text and may therefore use only its parameter.
 */
function linkOf({ raw, href, title, text }) {
  const escaped = String(href).replace(/[<>"']/g, c => `&#${c.charCodeAt(0)};`);
  if (!/^\[(?:\[([^\]]+)\]|([^\]]+))\]\(([^)]+)\)$/.test(raw)) return escaped;
  // Browsers skip blanks and control characters before they parse the scheme, and decode entities.
  const scheme = /^([^/?#]*?):/.exec(
    String(href).replace(/[\u0000-\u0020\u007f-\u00a0\u00ad\u200b-\u200f\u2028-\u202f\ufeff]/g, ""),
  );
  const isSpelled = /^[^/?#:]*&/.test(String(href));
  if (isSpelled || (scheme !== null && !["http", "https", "mailto", "file"].includes(scheme[1].toLowerCase())))
    return `${text} (${escaped})`;
  // The path of a file, or the address.
  const place = String(href)
    .replace(/^file:\/\//i, "")
    .replace(/#L(\d+).*$/, ":$1");
  const shown = (title ? `${title}\n${place}` : place).replace(/[<>"']/g, c => `&#${c.charCodeAt(0)};`);
  return `<a href="${escaped}" target="_blank" title="${shown}">${text}</a>`;
}

/**
 * Returns the elements of a card's body. An unchanged block is represented by one placeholder per element, which
 * requires no update. The function is inserted into the page as text and may therefore use only its parameters.
 */
function blocksOf(body, text, before, marked, elements, cleanup) {
  const options = { ...marked.defaults, breaks: true };
  const tokens = marked.lexer(text, options);
  const links = JSON.stringify(tokens.links);
  const cached = before !== undefined && before.links === links ? before.list : [];
  const last = tokens.findLastIndex(token => token.type !== "space");
  const list = [],
    all = [];
  tokens.forEach((token, at) => {
    const from = all.length,
      cachedBlock = cached[at];
    const grows =
      body.props.useParts === true &&
      at === last &&
      (token.type === "code" || /(^|\n)[ \t>*+\-\d.)]*(```|~~~)/.test(token.raw));
    if (
      cachedBlock !== undefined &&
      cachedBlock.raw === token.raw &&
      cachedBlock.from === from &&
      cachedBlock.grows === grows
    ) {
      for (let i = 0; i < cachedBlock.count; i++) {
        const same = document.createElement("i");
        same.className = "symposium-same";
        all.push(same);
      }
    } else {
      body.symposiumGrows = grows;
      const blocks = [],
        infos = [],
        code = ".mynah-syntax-highlighter:not(.mynah-inline-code)";
      marked.walkTokens([token], each => {
        if (each.type === "code") infos.push(each.lang ?? "");
      });
      for (const element of elements(marked.parser([token], options))) {
        const processed = body.processNode(element);
        cleanup(processed);
        all.push(processed);
        blocks.push(...(processed.matches(code) ? [processed] : processed.querySelectorAll(code)));
      }
      // The class of the code has only the first word.
      blocks.forEach((block, i) => block.querySelector("pre > code")?.setAttribute("data-info", infos[i] ?? ""));
    }
    list.push({ raw: token.raw, from, count: all.length - from, grows });
  });
  all.forEach((element, i) => element.setAttribute("render-index", String(i)));
  body.symposiumGrows = false;
  body.symposiumBlocks = { links, list };
  body.symposiumCount = all.length;
  return all;
}

/** Whether a block has changed. Tags are compared too, because a paragraph and a heading can have the same content. */
function differs(block, before) {
  return (
    block.tagName !== before.tagName ||
    block.getAttribute("start") !== before.getAttribute("start") ||
    block.innerHTML !== before.innerHTML
  );
}

/**
 * Whether both blocks are code in the same language. In that case only the code is replaced, and the fold state is
 * kept.
 */
function sameCode(block, before) {
  const label = element => element.querySelector(".mynah-syntax-highlighter-language")?.textContent;
  return (
    block.classList.contains("mynah-syntax-highlighter") &&
    before.classList.contains("mynah-syntax-highlighter") &&
    label(block) === label(before)
  );
}

/** Applies all patches to the file. Throws if a patch does not match exactly once. */
function patched(source, patches = PATCHES) {
  return patches.reduce((text, { find, put }) => {
    const found = text.split(find).length - 1;
    if (found !== 1)
      throw new Error(
        `webview/mynah/patch.js does not match this version of mynah-ui. Found ${found} times instead of once: ${find.slice(0, 80)}`,
      );
    return text.replace(find, () => put);
  }, source);
}

/** The function that the patches share. */
const SHARED = `const symposiumSetHtml=${setHtml};\n`;

module.exports = source => SHARED + patched(source);
module.exports.patched = patched;
module.exports.PATCHES = PATCHES;

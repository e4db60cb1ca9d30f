/** Texts of an attachment's chip. Pure. */
import { lines, nameOf, type Attachment } from "../../../src/protocol/chat/attachments";
import { visibleLine } from "../../../src/protocol/text/visible-text";
import { fileAddress } from "../cards/tool-content";

export interface ChipView {
  readonly name: string;
  /** Tooltip text. */
  readonly about: string;
  /** Link to the attachment, if it can be opened. */
  readonly address: string | undefined;
}

export function chipView(attachment: Attachment): ChipView {
  return { name: visibleLine(nameOf(attachment)), about: aboutOf(attachment), address: addressOf(attachment) };
}

function aboutOf(attachment: Attachment): string {
  switch (attachment.kind) {
    case "file":
    case "folder":
      return attachment.path;
    case "symbol":
      return `${attachment.path}:${lines(attachment)}`;
    case "selection":
      return `${attachment.path ?? attachment.name}:${lines(attachment)}`;
    case "problems":
    case "terminal":
    case "transcript":
      return shownText(attachment.text);
    case "image":
      return attachment.name;
  }
}

/** A folder has no link, because no editor can open it. */
function addressOf(attachment: Attachment): string | undefined {
  switch (attachment.kind) {
    case "file":
      return fileAddress({ path: attachment.path });
    case "symbol":
      return fileAddress({ path: attachment.path, line: attachment.startLine });
    case "selection":
      return attachment.path === undefined
        ? undefined
        : fileAddress({ path: attachment.path, line: attachment.startLine });
    case "folder":
    case "problems":
    case "terminal":
    case "transcript":
    case "image":
      return undefined;
  }
}

const MAX_TOOLTIP_LENGTH = 1_000;
const shownText = (text: string): string =>
  text.length > MAX_TOOLTIP_LENGTH ? `${text.slice(0, MAX_TOOLTIP_LENGTH)}…` : text;

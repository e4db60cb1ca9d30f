/** The title of an editor's tab, with the status that the tab strip of the view shows as a dot. Pure. */
export type EditorStatus = "idle" | "working" | "question" | "unread" | "failed";

const MARK: Readonly<Record<EditorStatus, string>> = {
  idle: "",
  working: "◌ ",
  question: "? ",
  unread: "● ",
  failed: "✕ ",
};

export const editorTitle = (title: string, status: EditorStatus): string => `${MARK[status]}${title}`;
